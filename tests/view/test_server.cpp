// The server and its sessions, with a client of their own over a real socket.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "record/demo_world.hpp"
#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/view/access.hpp"
#include "scree/view/html.hpp"
#include "scree/view/server.hpp"
#include "view/live_world.hpp"

namespace scree {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Json = nlohmann::json;

// Serves a session on a thread until the test is over.
class Served {
 public:
  explicit Served(ViewSession& session, const std::string& token = "")
      : server_(session, {"127.0.0.1", 0, token, "<body>page</body>"}),
        thread_([this] { server_.run([this] { return stop_.load(); }); }) {}
  ~Served() {
    stop_ = true;
    thread_.join();
  }
  unsigned short port() const { return server_.port(); }
  std::string url() const { return server_.url(); }

 private:
  std::atomic<bool> stop_ = false;
  ViewServer server_;
  std::thread thread_;
};

http::response<http::string_body> get(unsigned short port, const std::string& target,
                                      const std::string& host = "localhost", http::verb verb = http::verb::get) {
  asio::io_context io;
  beast::tcp_stream stream(io);
  stream.connect(tcp::endpoint(asio::ip::make_address("127.0.0.1"), port));
  http::request<http::empty_body> request(verb, target, 11);
  request.set(http::field::host, host);
  http::write(stream, request);
  beast::flat_buffer buffer;
  http::response<http::string_body> response;
  http::read(stream, buffer, response);
  return response;
}

class Page {
 public:
  explicit Page(unsigned short port, const std::string& target = "/ws", const std::string& origin = "") {
    beast::get_lowest_layer(socket_).connect(tcp::endpoint(asio::ip::make_address("127.0.0.1"), port));
    beast::get_lowest_layer(socket_).expires_after(std::chrono::seconds(20));
    const std::string host = "localhost:" + std::to_string(port);
    socket_.set_option(websocket::stream_base::decorator([origin](websocket::request_type& r) {
      if (!origin.empty()) r.set(http::field::origin, origin);
    }));
    socket_.handshake(host, target);
  }

  void send(const std::string& message, bool binary = false) {
    socket_.binary(binary);
    socket_.write(asio::buffer(message));
  }
  void send(const Json& json) { send(json.dump()); }
  // The next message; a frame's bytes, or a text.
  std::string read() {
    beast::flat_buffer buffer;
    socket_.read(buffer);
    text = socket_.got_text();
    return beast::buffers_to_string(buffer.data());
  }
  Json next(const std::string& type) {
    for (;;) {
      const std::string message = read();
      if (!text) continue;
      Json json = Json::parse(message);
      if (json["type"] == type) return json;
    }
  }
  Bytes frame() {
    for (;;) {
      const std::string message = read();
      if (!text) return {message.begin(), message.end()};
    }
  }
  bool text = false;

 private:
  asio::io_context io_;
  websocket::stream<beast::tcp_stream> socket_{io_};
};

RecordedRun small_run(std::size_t frames, int side = 4) {
  const auto world = std::make_shared<World>(demo::drum(side));
  RecordedRun run;
  run.statics = statics_of(*world);
  for (std::size_t k = 0; k < frames; ++k) run.times.push_back(0.5 * static_cast<double>(k));
  run.read = [world](std::size_t k) {
    Frame frame = frame_of(*world);
    frame.time = 0.5 * static_cast<double>(k);
    return frame;
  };
  run.series = {{"fraction", "", "packing", {0, 1}, {0.5, std::nan("")}}};
  return run;
}

LiveOptions quick() {
  LiveOptions o;
  o.title = "discs";
  o.frame_interval = 0.01;
  o.pace = 0;
  return o;
}

TEST(Server, ServesThePageToItsOwnNameOnly) {
  RecordedSession session([] { return small_run(3); });
  const Served served(session);
  const auto page = get(served.port(), "/");
  EXPECT_EQ(page.result(), http::status::ok);
  EXPECT_EQ(page.body(), "<body>page</body>");
  EXPECT_NE(page["Content-Security-Policy"].find("default-src 'none'"), beast::string_view::npos);
  EXPECT_EQ(get(served.port(), "/etc/passwd").result(), http::status::not_found);
  EXPECT_EQ(get(served.port(), "/../../x").result(), http::status::not_found);
  EXPECT_EQ(get(served.port(), "/", "localhost", http::verb::post).result(), http::status::method_not_allowed);
  EXPECT_EQ(get(served.port(), "/", "evil.example").result(), http::status::forbidden);
  EXPECT_THROW(Page(served.port(), "/ws", "http://evil.example"), boost::system::system_error);
  EXPECT_THROW(Page(served.port(), "/other"), boost::system::system_error);
}

TEST(Server, AsksForItsToken) {
  RecordedSession session([] { return small_run(3); });
  const Served served(session, "sesame-sesame");
  EXPECT_NE(served.url().find("?token=sesame-sesame"), std::string::npos);
  for (const char* target : {"/", "/?token=", "/?token=sesame", "/?token=sesame-sesamf", "/?x=1&tokens=sesame-sesame"})
    EXPECT_EQ(get(served.port(), target).result(), http::status::forbidden) << target;
  EXPECT_EQ(get(served.port(), "/?x=1&token=sesame-sesame").result(), http::status::ok);
  EXPECT_THROW(Page(served.port(), "/ws"), boost::system::system_error);
  EXPECT_THROW(Page(served.port(), "/ws?token=wrong"), boost::system::system_error);
  Page page(served.port(), "/ws?token=sesame-sesame");
  EXPECT_EQ(page.next("hello")["times"].size(), 3u);
}

TEST(Server, WantsATokenBeyondLoopback) {
  RecordedSession session([] { return small_run(1); });
  EXPECT_THROW(ViewServer(session, {"0.0.0.0", 0, "", ""}), Error);
  EXPECT_THROW(ViewServer(session, {"not an address", 0, "", ""}), Error);
  EXPECT_THROW(ViewServer(session, {"192.0.2.1", 0, "sesame-sesame", ""}), Error);  // of no machine: RFC 5737
  EXPECT_TRUE(is_loopback("127.0.0.1") && is_loopback("::1"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_EQ(random_token().size(), 32u);
  EXPECT_NE(random_token(), random_token());
}

TEST(Server, APortThatIsTakenIsAnErrorWithARemedy) {
  RecordedSession session([] { return small_run(1); });
  const Served served(session);
  try {
    const ViewServer second(session, {"127.0.0.1", served.port(), "", ""});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_NE(e.remedy().find("--port"), std::string::npos);
  }
}

TEST(RecordedSession, AnswersWithTheFrameThatWasAskedFor) {
  RecordedSession session([] { return small_run(3); });
  const Served served(session);
  Page page(served.port());
  const Json hello = page.next("hello");
  EXPECT_EQ(hello["shapes"].size(), 5u);
  EXPECT_EQ(hello["walls"][0]["kind"], "container");
  EXPECT_EQ(hello["series"][0]["values"], Json::parse("[0.5, null]"));
  page.send(Json{{"type", "frame"}, {"request", 5}, {"index", 2}, {"contacts", true}});
  const FrameHeader h = header_of(page.frame());
  EXPECT_EQ(h.request, 5u);
  EXPECT_EQ(h.time, 1.0);
  EXPECT_EQ(h.grains, 16u);
  EXPECT_GT(h.contacts, 0u);
  page.send(Json{{"type", "frame"}, {"request", 6}, {"index", 3}, {"contacts", true}});
  EXPECT_NE(page.next("error")["problem"].get<std::string>().find("no frame 3"), std::string::npos);
  page.send(Json{{"type", "pause"}, {"paused", true}});
  EXPECT_NE(page.next("error")["problem"].get<std::string>().find("no commands"), std::string::npos);
}

TEST(RecordedSession, SaysWhichFrameCannotBeHad) {
  bool damaged = false;
  RecordedSession session([&] {
    RecordedRun run = small_run(3);
    run.read = [read = run.read, &damaged](std::size_t k) {
      if (k == 1 && damaged) throw Error(ErrorKind::input, "trajectory.h5", "is damaged");
      return read(k);
    };
    return run;
  });
  damaged = true;
  const Served served(session);
  Page page(served.port());
  for (int k = 0; k < 60; ++k) {  // more often than a page may send nonsense
    page.send(Json{{"type", "frame"}, {"request", k}, {"index", 1}, {"contacts", true}});
    const Json error = page.next("error");
    EXPECT_EQ(error["request"], k);
    EXPECT_EQ(error["where"], "trajectory.h5");
  }
  page.send(Json{{"type", "frame"}, {"request", 60}, {"index", 2}, {"contacts", true}});
  EXPECT_EQ(header_of(page.frame()).request, 60u);
}

// More than sockets hold, and more than may wait: the server leaves requests unread meanwhile.
TEST(Server, WhoReadsLateGetsEverythingThatWasAskedFor) {
  RecordedSession session([] { return small_run(1, 20); });
  const Served served(session);
  Page page(served.port());
  constexpr std::uint32_t asked = 300;
  for (std::uint32_t k = 0; k < asked; ++k)
    page.send(Json{{"type", "frame"}, {"request", k}, {"index", 0}, {"contacts", true}});
  std::size_t bytes = 0;
  for (std::uint32_t k = 0; k < asked; ++k) {
    const Bytes frame = page.frame();
    EXPECT_EQ(header_of(frame).request, k);
    bytes += frame.size();
  }
  EXPECT_GT(bytes, 8u << 20);
}

TEST(LiveSession, AFloodOfOnePageLeavesTheOthersAlone) {
  LiveOptions options = quick();
  options.paused = true;
  LiveSession session(testing::disc_box(), testing::disc_steps(), options);
  const Served served(session);
  Page one(served.port()), other(served.port());
  for (int k = 0; k < 600; ++k) one.send(Json{{"type", "gravity"}, {"value", {0, -9 - 1e-4 * k}}});
  one.send(Json{{"type", "frame"}, {"request", 7}, {"index", 0}, {"contacts", false}});
  EXPECT_EQ(header_of(one.frame()).request, 7u);  // all of it was received
  other.next("status");
  other.next("status");
  other.send(Json{{"type", "step"}, {"count", 3}});
  while (other.next("status")["step"] < 3) {}
}

TEST(LiveSession, TellsWhatHoldsAfterACommandThatWasRefused) {
  LiveOptions options = quick();
  options.paused = true;
  LiveSession session(testing::disc_box(), testing::disc_steps(), options);
  const Served served(session);
  Page page(served.port());
  const Json gravity = page.next("hello")["controls"]["gravity"];
  page.send(Json{{"type", "gravity"}, {"value", {3, 0}}});
  Json now;
  do { now = page.next("controls")["controls"]; } while (now["gravity"] == gravity);
  EXPECT_EQ(now["gravity"], Json::parse("[3.0, 0.0]"));
  page.send(Json{{"type", "gravity"}, {"value", {1e9, 0}}});
  EXPECT_EQ(page.next("controls")["controls"]["gravity"], now["gravity"]);
  page.send(Json{{"type", "drive"}, {"wall", 0}, {"velocity", {0.25, 0}}});
  EXPECT_EQ(page.next("controls")["controls"]["movers"][0]["velocity"], Json::parse("[0.25, 0.0]"));
  page.send(Json{{"type", "restart"}});
  EXPECT_EQ(page.next("controls")["controls"]["gravity"], gravity);
}

TEST(LiveSession, RunsPausesAndSteps) {
  LiveSession session(testing::disc_box(), testing::disc_steps(), quick());
  const Served served(session);
  Page page(served.port());
  const Json hello = page.next("hello");
  EXPECT_TRUE(hello["live"].get<bool>());
  EXPECT_EQ(hello["controls"]["grains"], Json::parse("[0]"));
  EXPECT_EQ(hello["controls"]["movers"].size(), 3u);
  double revision = -1, time = -1;
  for (int k = 0; k < 5; ++k) {
    page.send(Json{{"type", "latest"}, {"request", k}, {"after", revision}, {"contacts", false}});
    const FrameHeader h = header_of(page.frame());
    EXPECT_GT(h.revision, revision);
    EXPECT_GE(h.time, time);
    revision = h.revision, time = h.time;
  }
  EXPECT_GT(time, 0);
  page.send(Json{{"type", "pause"}, {"paused", true}});
  while (!page.next("status")["paused"].get<bool>()) {}
  const double step = page.next("status")["step"];
  EXPECT_EQ(page.next("status")["step"].get<double>(), step);
  page.send(Json{{"type", "step"}, {"count", 7}});
  Json status;
  do { status = page.next("status"); } while (status["step"].get<double>() < step + 7);
  EXPECT_EQ(status["step"].get<double>(), step + 7);
  EXPECT_TRUE(status["paused"].get<bool>());
}

TEST(LiveSession, ShowsDroppedGrainsAtOnceAndKeepsItsHistory) {
  LiveOptions options = quick();
  options.paused = true;
  LiveSession session(testing::disc_box(), testing::disc_steps(), options);
  const Served served(session);
  Page page(served.port());
  page.next("hello");
  page.send(Json{{"type", "latest"}, {"request", 1}, {"after", -1}, {"contacts", false}});
  const FrameHeader before = header_of(page.frame());
  EXPECT_EQ(before.grains, 12u);
  page.send(Json{{"type", "drop"}, {"grain", 0}, {"at", {0, 0.8}}, {"count", 4}});
  page.send(Json{{"type", "latest"}, {"request", 2}, {"after", before.revision}, {"contacts", false}});
  EXPECT_EQ(header_of(page.frame()).grains, 16u);
  page.send(Json{{"type", "step"}, {"count", 2000}});
  Json grown;
  do { grown = page.next("grown"); } while (grown["times"].size() < 20);
  page.send(Json{{"type", "frame"}, {"request", 3}, {"index", 5}, {"contacts", true}});
  EXPECT_NEAR(header_of(page.frame()).time, 0.05, 1e-3);
  page.send(Json{{"type", "restart"}});
  do { grown = page.next("grown"); } while (grown["times"].size() > 1);
  page.send(Json{{"type", "latest"}, {"request", 4}, {"after", before.revision + 1}, {"contacts", false}});
  EXPECT_EQ(header_of(page.frame()).grains, 12u);
}

TEST(LiveSession, ThinsItsHistoryWhenItIsLong) {
  LiveOptions options = quick();
  options.frame_interval = 1e-3;
  options.history_bytes = 20000;  // some 25 frames
  LiveSession session(testing::disc_box(), testing::disc_steps(), options);
  const Served served(session);
  Page page(served.port());
  Json grown = page.next("hello");
  while (grown["times"].empty() || grown["times"].back().get<double>() < 0.3) grown = page.next("grown");
  EXPECT_LT(grown["times"].size(), 60u);
  EXPECT_GT(grown["times"].size(), 5u);
}

// Bytes at random, wrong types, numbers beyond limits, oversized messages, too many of them: the simulation goes on to
// the bits of one that nobody talked to.
TEST(LiveSession, NoiseDoesNotReachTheSimulation) {
  LiveOptions options = quick();
  options.paused = true;
  LiveSession session(testing::disc_box(), testing::disc_steps(), options);
  const Served served(session);
  Rng rng(5);
  const std::string wrong[] = {R"({"type":"gravity","value":[1e11,0]})",
                               R"({"type":"gravity","value":"down"})",
                               R"({"type":"drive","wall":99,"velocity":[0,0]})",
                               R"({"type":"drive","wall":0,"velocity":[1e9,0]})",
                               R"({"type":"drive","wall":0,"spin":1e9,"centre":[0,0]})",
                               R"({"type":"drop","grain":3,"at":[0,1],"count":5})",
                               R"({"type":"drop","grain":0,"at":[0,-1e6],"count":5})",
                               R"({"type":"frame","request":1,"index":4000000000,"contacts":true})",
                               R"({"type":"step","count":1e99})"};
  for (int connection = 0; connection < 8; ++connection) {
    Page page(served.port());
    page.next("hello");
    try {
      for (int k = 0; k < 40; ++k) {
        std::string text = wrong[rng.below(std::size(wrong))];
        if (k % 3 == 0) {
          text.clear();
          for (std::uint64_t n = rng.below(300); n > 0; --n) text += static_cast<char>(32 + rng.below(95));
        }
        page.send(text, rng.below(4) == 0);
      }
      if (connection % 2 == 0) page.send(std::string(longest_message + 100, 'x'));
      for (int k = 0; k < 40; ++k) page.next("error");  // one each
    } catch (const boost::system::system_error&) {}     // it may end the connection
  }
  Page page(served.port());
  page.next("hello");
  page.send(Json{{"type", "step"}, {"count", 500}});
  while (page.next("status")["step"].get<double>() < 500) {}
  Bytes shown;
  double revision = -1;
  do {
    page.send(Json{{"type", "latest"}, {"request", 1}, {"after", revision}, {"contacts", true}});
    shown = page.frame();
    revision = header_of(shown).revision;
  } while (header_of(shown).step < 500);
  Simulation alone(testing::disc_box(), testing::disc_steps());
  for (int k = 0; k < 500; ++k) alone.step();
  const Bytes own = encode_frame(statics_of(alone.world()), frame_of(alone.world()), {});
  const FrameHeader h = header_of(shown);
  EXPECT_EQ(h.step, 500);
  EXPECT_EQ(h.grains, 12u);
  // States and ids do not depend on the origin of coordinates, which differs.
  const std::size_t from = sizeof(FrameHeader) + 4 + 16 * h.walls + 8 * h.grains, size = 16 * h.grains;
  ASSERT_EQ(shown.size(), own.size());
  EXPECT_TRUE(std::equal(own.begin() + static_cast<std::ptrdiff_t>(from),
                         own.begin() + static_cast<std::ptrdiff_t>(from + size),
                         shown.begin() + static_cast<std::ptrdiff_t>(from)));
}

TEST(Html, HoldsThePageAndTheRun) {
  const std::string html = html_of("<body>page</body>", small_run(4), {0, 2}, [](double) {});
  EXPECT_EQ(html.rfind("<body>page<script type=\"text/plain\" id=\"scree-run\">", 0), 0u);
  EXPECT_TRUE(html.ends_with("</script></body>"));
}

}  // namespace
}  // namespace scree
