#include "scree/view/access.hpp"

#include <boost/asio/ip/address.hpp>
#include <random>

#include "scree/base/error.hpp"

namespace scree {

bool is_loopback(const std::string& address) {
  boost::system::error_code failed;
  const auto parsed = boost::asio::ip::make_address(address, failed);
  if (failed)
    throw Error(ErrorKind::input, "--bind", "\"" + address + "\" is not an IP address",
                "use 127.0.0.1, or 0.0.0.0 for all interfaces");
  return parsed.is_loopback();
}

std::string random_token() {
  std::random_device random;
  std::string out;
  for (int k = 0; k < 32; ++k) out += "0123456789abcdef"[random() % 16];
  return out;
}

bool same_text(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    different |= static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]);
  return different == 0;
}

std::string token_in(const std::string& target) {
  std::size_t at = target.find('?');
  while (at != std::string::npos) {
    const std::size_t end = target.find('&', at + 1);
    const std::string pair = target.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    if (pair.starts_with("token=")) return pair.substr(6);
    at = end;
  }
  return {};
}

std::string host_name(const std::string& host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

}  // namespace scree
