#pragma once
// Who may talk to the server: addresses, names and tokens.
#include <string>

namespace scree {

// True for 127.0.0.0/8 and ::1. Error(input) when it is not an IP address.
bool is_loopback(const std::string& address);
// 128 random bits from the system, as hexadecimal digits.
std::string random_token();
// Takes the same time for every wrong token of one length.
bool same_text(const std::string& a, const std::string& b);
// The value of `token` in the query of a request's target; tokens need no decoding.
std::string token_in(const std::string& target);
// "localhost:8080" without its port; "[::1]:8080" without port and brackets.
std::string host_name(const std::string& host);

}  // namespace scree
