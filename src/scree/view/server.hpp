#pragma once
// The page and its WebSocket over HTTP (Boost.Beast). One thread does it all; the session is called from it.
#include <functional>
#include <memory>
#include <string>

#include "scree/view/session.hpp"

namespace scree {

struct ServerOptions {
  std::string address = "127.0.0.1";  // of an interface; others than loopback need a token
  unsigned short port = 0;            // 0: any that is free
  std::string token;                  // asked of every request unless empty
  std::string page;                   // HTML
};

// Pages from elsewhere in the browser cannot reach it: Host and Origin must name the server itself. Messages over
// `longest_message` bytes, binary ones and long series of bad ones end the connection; a bad one is answered with what
// is wrong and goes no further.
class ViewServer {
 public:
  // Error(input) for an address that cannot be had or is open without a token, Error(system) when the port is taken.
  ViewServer(ViewSession& session, const ServerOptions& options);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  unsigned short port() const;
  std::string url() const;  // for a browser, with the token
  // Serves until `stop` says so; it is asked some ten times a second.
  void run(const std::function<bool()>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scree
