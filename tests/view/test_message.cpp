#include <gtest/gtest.h>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/view/message.hpp"

namespace scree {
namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_message(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_FALSE(e.remedy().empty());
    return e.where() + ": " + e.problem();
  }
  return "";
}

TEST(Message, GoodOnesAreRead) {
  const auto frame =
      std::get<FrameRequest>(parse_message(R"({"type":"frame","request":4,"index":12,"contacts":true})"));
  EXPECT_EQ(frame.request, 4u);
  EXPECT_EQ(frame.index, 12u);
  EXPECT_TRUE(frame.contacts);
  EXPECT_FALSE(frame.latest);
  EXPECT_TRUE(
      std::get<FrameRequest>(parse_message(R"({"type":"latest","request":1,"after":-1,"contacts":false})")).latest);
  EXPECT_FALSE(std::get<Pause>(parse_message(R"({"type":"pause","paused":false})")).paused);
  EXPECT_EQ(std::get<StepOn>(parse_message(R"({"type":"step","count":10})")).count, 10);
  EXPECT_EQ(std::get<Pace>(parse_message(R"({"type":"pace","value":0.5})")).value, 0.5);
  EXPECT_EQ(std::get<SetGravity>(parse_message(R"({"type":"gravity","value":[1,-2]})")).value.y, -2);
  const auto drive = std::get<Drive>(parse_message(R"({"type":"drive","group":1,"spin":2,"centre":[3,4]})"));
  EXPECT_TRUE(drive.group && drive.turns);
  EXPECT_EQ(drive.centre.x, 3);
  EXPECT_FALSE(std::get<Drive>(parse_message(R"({"type":"drive","wall":0,"velocity":[0,1]})")).turns);
  EXPECT_EQ(std::get<Drop>(parse_message(R"({"type":"drop","grain":1,"at":[0,1],"count":5})")).count, 5);
  EXPECT_TRUE(std::holds_alternative<StartAgain>(parse_message(R"({"type":"restart"})")));
}

TEST(Message, BadOnesNameTheField) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a JSON object"},
      {"null", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {"{", "not a JSON object"},
      {R"({"type":7})", "no \"type\""},
      {R"({"type":"explode"})", "\"explode\" is not a type"},
      {R"({"type":"pause"})", "\"paused\": is missing"},
      {R"({"type":"pause","paused":1})", "neither true nor false"},
      {R"({"type":"pause","paused":true,"x":1})", "\"x\": is not a field"},
      {R"({"type":"step","count":0})", "whole number from 1"},
      {R"({"type":"step","count":1.5})", "whole number from 1"},
      {R"({"type":"step","count":1e9})", "whole number from 1"},
      {R"({"type":"frame","request":1,"index":-1,"contacts":true})", "\"index\": is not a whole number"},
      {R"({"type":"gravity","value":[1]})", "list of two numbers"},
      {R"({"type":"gravity","value":[1,"2"]})", "is not a number"},
      {R"({"type":"gravity","value":[1e300,0]})", "is too large"},
      {R"({"type":"gravity","value":[1e999,0]})", "not a JSON object"},
      {R"({"type":"pace","value":-1})", "is negative"},
      {R"({"type":"drive","wall":0})", "or \"spin\" must be there"},
      {R"({"type":"drive","wall":0,"group":1,"velocity":[0,0]})", "or \"group\" must be there"},
      {R"({"type":"drive","wall":0,"velocity":[0,0],"centre":[0,0]})", "goes with \"spin\" only"},
      {R"({"type":"drop","grain":0,"at":[0,0],"count":100000})", "whole number from 1 to 1000"},
  };
  for (const auto& [text, problem] : cases)
    EXPECT_NE(problem_of(text).find(problem), std::string::npos) << text << problem_of(text);
  EXPECT_NE(problem_of(std::string(longest_message + 1, ' ')).find("longer than"), std::string::npos);
  EXPECT_NE(problem_of(std::string(4000, '[')).find("not a JSON object"), std::string::npos);
}

// Whatever comes, it is a message or an Error: bytes at random, and good messages with some bytes changed.
TEST(Message, NoiseNeverGetsThrough) {
  const std::string good[] = {R"({"type":"drive","group":1,"spin":2,"centre":[3,4]})",
                              R"({"type":"drop","grain":1,"at":[0,1],"count":5})"};
  Rng rng(11);
  int read = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text;
    if (k % 2 == 0) {
      for (std::uint64_t n = rng.below(200); n > 0; --n) text += static_cast<char>(rng.below(256));
    } else {
      text = good[rng.below(2)];
      for (std::uint64_t n = 1 + rng.below(4); n > 0; --n)
        text[rng.below(text.size())] = static_cast<char>(rng.below(128));
    }
    try {
      parse_message(text);
      ++read;
    } catch (const Error&) {}
  }
  EXPECT_LT(read, 3000);  // a changed digit leaves a good message
}

}  // namespace
}  // namespace scree
