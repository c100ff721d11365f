#pragma once
// What a page looks at: a recorded run or a live one. The server calls it from one thread.
#include <memory>
#include <optional>
#include <string>

#include "scree/base/error.hpp"
#include "scree/view/frame_code.hpp"
#include "scree/view/message.hpp"

namespace scree {

// A connected page. Both calls return at once; what they are given is sent in this order.
class ViewClient {
 public:
  virtual ~ViewClient() = default;
  virtual void send(std::string text) = 0;
  virtual void send(std::shared_ptr<const Bytes> frame) = 0;
};

class ViewSession {
 public:
  virtual ~ViewSession() = default;
  virtual void join(ViewClient& client) = 0;   // greets it with what the run is
  virtual void leave(ViewClient& client) = 0;  // it is gone
  // Error(input) for what this session cannot do; the client is told.
  virtual void receive(ViewClient& client, const Message& message) = 0;
  virtual void tick() = 0;  // many times a second: what is new goes to the clients
};

// {"type": "error", ...} and {"type": "note", ...}, which the page shows. `request` is that of a frame that is not to
// be had.
std::string error_message(const Error& error, std::optional<std::uint32_t> request = {});
std::string note_message(const std::string& text);

}  // namespace scree
