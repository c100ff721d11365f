#include "scree/view/server.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <optional>
#include <set>
#include <variant>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/view/access.hpp"

namespace scree {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using Request = http::request<http::empty_body>;

constexpr std::chrono::milliseconds tick_interval{8}, accept_pause{200};
constexpr std::chrono::seconds http_patience{20};
constexpr std::size_t most_clients = 16;
constexpr std::size_t most_queued = 256;        // messages a page may leave unread
constexpr std::size_t most_answers = 64;        // that it may leave unread and ask for more
constexpr std::size_t most_unread = 32u << 20;  // bytes of them
constexpr int most_bad_messages = 50;           // of a connection

// The page loads nothing from anywhere and talks to this server alone.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

struct ViewServer::Impl {
  class Connection;

  ViewSession& session;
  ServerOptions options;
  bool loopback;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer timer{io}, pause{io};
  std::set<std::shared_ptr<Connection>> clients;  // with a WebSocket

  Impl(ViewSession& s, const ServerOptions& o) : session(s), options(o), loopback(is_loopback(o.address)) {
    if (!loopback && options.token.empty())
      throw Error(ErrorKind::input, "--bind", options.address + " can be reached from other machines",
                  "give a token, or stay on 127.0.0.1");
    const tcp::endpoint endpoint(asio::ip::make_address(options.address), options.port);
    ErrorCode failed;
    acceptor.open(endpoint.protocol(), failed);
    if (!failed) acceptor.set_option(asio::socket_base::reuse_address(true), failed);
    if (!failed) acceptor.bind(endpoint, failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (failed == boost::system::errc::address_not_available)
      throw Error(ErrorKind::system, "--bind", options.address + " is no address of this machine",
                  "use 127.0.0.1, or 0.0.0.0 for all interfaces");
    if (failed)
      throw Error(ErrorKind::system, cat(options.address, ":", options.port), failed.message(),
                  "choose another --port; 0 takes any that is free");
  }

  // A name in Host or Origin that means this server. By another name a page elsewhere may have led the browser here.
  bool own_name(const std::string& host) const {
    const std::string name = host_name(host);
    if (name == options.address) return true;
    if (loopback) return name == "localhost" || name == "127.0.0.1" || name == "::1";
    return true;  // any name of this machine; the token decides
  }

  void accept();
  void accept_later();
  void tick();
};

// One browser tab: HTTP requests, then perhaps a WebSocket.
class ViewServer::Impl::Connection : public ViewClient, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Impl& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {}

  void start() {
    parser_.emplace();
    parser_->header_limit(8192);
    parser_->body_limit(0);
    stream_.expires_after(http_patience);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode failed, std::size_t) {
      if (!failed) self->handle(self->parser_->release());
    });
  }

  void send(std::string text) override { queue({std::move(text)}); }
  void send(std::shared_ptr<const Bytes> frame) override { queue({std::move(frame)}); }

  void close() {
    ErrorCode ignored;
    beast::get_lowest_layer(socket_ ? socket_->next_layer() : stream_).socket().close(ignored);
  }

 private:
  using Outgoing = std::variant<std::string, std::shared_ptr<const Bytes>>;
  static asio::const_buffer buffer_of(const Outgoing& message) {
    if (const auto* text = std::get_if<std::string>(&message)) return asio::buffer(*text);
    return asio::buffer(*std::get<std::shared_ptr<const Bytes>>(message));
  }

  void handle(const Request& request) {
    const std::string host(request[http::field::host]);
    const std::string target(request.target());
    const std::string path = target.substr(0, target.find('?'));
    if (!server_.own_name(host))
      return respond(request, http::status::forbidden, "This server answers to its own address only.\n");
    if (!server_.options.token.empty() && !same_text(token_in(target), server_.options.token))
      return respond(request, http::status::forbidden,
                     "A token is missing or wrong: open the address that scree view printed.\n");
    if (websocket::is_upgrade(request)) return upgrade(request, host, path);
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return respond(request, http::status::method_not_allowed, "Only GET and HEAD.\n");
    if (path == "/") return respond(request, http::status::ok, server_.options.page, "text/html; charset=utf-8");
    respond(request, http::status::not_found, "There is only the page, at /.\n");
  }

  void respond(const Request& request, http::status status, std::string body,
               const char* type = "text/plain; charset=utf-8") {
    auto response = std::make_shared<http::response<http::string_body>>(status, request.version());
    response->set(http::field::content_type, type);
    response->set(http::field::cache_control, "no-store");
    response->set("Content-Security-Policy", content_policy);
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->keep_alive(request.keep_alive());
    if (request.method() != http::verb::head) response->body() = std::move(body);
    response->prepare_payload();
    http::async_write(stream_, *response, [self = shared_from_this(), response](ErrorCode failed, std::size_t) {
      if (failed || !response->keep_alive()) return self->close();
      self->start();
    });
  }

  void upgrade(const Request& request, const std::string& host, const std::string& path) {
    const std::string origin(request[http::field::origin]);
    if (path != "/ws") return respond(request, http::status::not_found, "The WebSocket is at /ws.\n");
    if (!origin.empty() && origin != "http://" + host)
      return respond(request, http::status::forbidden, "Pages from elsewhere are not let in.\n");
    if (server_.clients.size() >= most_clients)
      return respond(request, http::status::service_unavailable, "Too many pages are open.\n");
    stream_.expires_never();
    socket_.emplace(std::move(stream_));
    socket_->set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_->read_message_max(longest_message);
    socket_->async_accept(request, [self = shared_from_this()](ErrorCode failed) {
      if (failed) return;
      self->server_.clients.insert(self);
      self->server_.session.join(*self);
      self->read();
    });
  }

  void read() {
    socket_->async_read(buffer_, [self = shared_from_this()](ErrorCode failed, std::size_t) {
      if (failed) return self->end();
      const bool text = self->socket_->got_text();
      const std::string message = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->receive(text, message);
      if (self->bad_ > most_bad_messages) return self->end();
      self->reading_ = self->is_heard();
      if (self->reading_) self->read();
    });
  }

  // Only who takes what was asked for may ask for more.
  bool is_heard() const { return waiting_.size() < most_answers && unread_ < most_unread; }

  void receive(bool text, const std::string& message) {
    std::optional<Message> parsed;
    try {
      if (!text) throw Error(ErrorKind::input, "message", "is binary", "messages are JSON text");
      parsed = parse_message(message);
    } catch (const Error& e) {
      ++bad_;
      return send(error_message(e));
    }
    const auto* frame = std::get_if<FrameRequest>(&*parsed);
    try {
      server_.session.receive(*this, *parsed);
    } catch (const Error& e) { send(error_message(e, frame ? std::optional(frame->request) : std::nullopt)); }
  }

  // A page that leaves too much unread is let go: it would take all memory. What is pending then fails and ends it.
  void queue(Outgoing message) {
    if (ended_) return;
    if (waiting_.size() >= most_queued) return close();
    unread_ += buffer_of(message).size();
    waiting_.push_back(std::move(message));
    if (waiting_.size() == 1) write();
  }

  void write() {
    const bool text = std::holds_alternative<std::string>(waiting_.front());
    socket_->text(text);
    socket_->async_write(buffer_of(waiting_.front()), [self = shared_from_this()](ErrorCode failed, std::size_t) {
      if (failed) return self->end();
      self->unread_ -= buffer_of(self->waiting_.front()).size();
      self->waiting_.pop_front();
      if (!self->waiting_.empty()) self->write();
      if (!self->reading_ && self->is_heard()) self->reading_ = true, self->read();
    });
  }

  void end() {
    if (ended_) return;
    ended_ = true;
    close();
    server_.session.leave(*this);
    server_.clients.erase(shared_from_this());
  }

  Impl& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<websocket::stream<beast::tcp_stream>> socket_;
  std::deque<Outgoing> waiting_;  // the first is being written
  std::size_t unread_ = 0;        // bytes of them
  bool reading_ = true;
  int bad_ = 0;
  bool ended_ = false;
};

void ViewServer::Impl::accept() {
  acceptor.async_accept([this](ErrorCode failed, tcp::socket socket) {
    if (failed == asio::error::operation_aborted) return;
    if (failed) return accept_later();
    ErrorCode ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    std::make_shared<Connection>(*this, std::move(socket))->start();
    accept();
  });
}

// When there are as many connections as the system allows: those that say nothing end before long.
void ViewServer::Impl::accept_later() {
  pause.expires_after(accept_pause);
  pause.async_wait([this](ErrorCode failed) {
    if (!failed) accept();
  });
}

void ViewServer::Impl::tick() {
  session.tick();
  timer.expires_after(tick_interval);
  timer.async_wait([this](ErrorCode failed) {
    if (!failed) tick();
  });
}

ViewServer::ViewServer(ViewSession& session, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(session, options)) {}

// Connections hold themselves in handlers of the io_context: they go before what they refer to.
ViewServer::~ViewServer() {
  const auto clients = impl_->clients;
  for (const auto& client : clients) {
    client->close();
    impl_->session.leave(*client);
  }
  impl_->clients.clear();
}

unsigned short ViewServer::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string ViewServer::url() const {
  const std::string& address = impl_->options.address;
  const bool v6 = address.find(':') != std::string::npos;
  const std::string host = address == "0.0.0.0" ? asio::ip::host_name() : v6 ? "[" + address + "]" : address;
  const std::string& token = impl_->options.token;
  return cat("http://", host, ":", port(), "/", token.empty() ? "" : "?token=" + token);
}

void ViewServer::run(const std::function<bool()>& stop) {
  impl_->accept();
  impl_->tick();
  while (!stop()) impl_->io.run_for(std::chrono::milliseconds(100));
}

}  // namespace scree
