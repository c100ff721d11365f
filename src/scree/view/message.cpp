#include "scree/view/message.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

using Json = nlohmann::json;

constexpr double largest_number = 1e12;
constexpr int most_steps_at_once = 100000;
constexpr int most_dropped = 1000;

// The fields of one message, each taken once.
class Fields {
 public:
  Fields(const Json& json, std::string type) : json_(json), type_(std::move(type)) {}

  void only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : json_.items())
      if (key != "type" && std::find(known.begin(), known.end(), key) == known.end())
        fail(key.substr(0, 40), "is not a field of it");
  }
  bool has(const char* name) const { return json_.contains(name); }

  double number(const char* name) const { return checked(name, at(name)); }
  int count(const char* name, int most) const {
    const double value = number(name);
    if (value < 1 || value > most || value != std::floor(value))
      fail(name, cat("is not a whole number from 1 to ", most));
    return static_cast<int>(value);
  }
  std::uint32_t index(const char* name) const {
    const double value = number(name);
    if (value < 0 || value > 4294967294.0 || value != std::floor(value)) fail(name, "is not a whole number from 0 on");
    return static_cast<std::uint32_t>(value);
  }
  bool flag(const char* name) const {
    const Json& value = at(name);
    if (!value.is_boolean()) fail(name, "is neither true nor false");
    return value.get<bool>();
  }
  Vec2d vector(const char* name) const {
    const Json& value = at(name);
    if (!value.is_array() || value.size() != 2) fail(name, "is not a list of two numbers");
    return {checked(name, value[0]), checked(name, value[1])};
  }
  [[noreturn]] void fail(const std::string& field, const std::string& problem) const {
    throw Error(ErrorKind::input, cat("message \"", type_, "\", field \"", field, "\""), problem,
                "docs/viewer.md lists the messages");
  }

 private:
  const Json& at(const char* name) const {
    if (!json_.contains(name)) fail(name, "is missing");
    return json_[name];
  }
  double checked(const char* name, const Json& value) const {
    if (!value.is_number()) fail(name, "is not a number");
    const auto number = value.get<double>();
    if (!std::isfinite(number) || std::abs(number) > largest_number) fail(name, "is too large");
    return number;
  }

  const Json& json_;
  std::string type_;
};

Message frame_request(const Fields& f) {
  f.only({"request", "index", "contacts"});
  return FrameRequest{f.index("request"), false, f.index("index"), -1, f.flag("contacts")};
}

Message latest_request(const Fields& f) {
  f.only({"request", "after", "contacts"});
  return FrameRequest{f.index("request"), true, 0, f.number("after"), f.flag("contacts")};
}

Message pause(const Fields& f) {
  f.only({"paused"});
  return Pause{f.flag("paused")};
}

Message step_on(const Fields& f) {
  f.only({"count"});
  return StepOn{f.count("count", most_steps_at_once)};
}

Message pace(const Fields& f) {
  f.only({"value"});
  const double value = f.number("value");
  if (value < 0) f.fail("value", "is negative");
  return Pace{value};
}

Message gravity(const Fields& f) {
  f.only({"value"});
  return SetGravity{f.vector("value")};
}

Message drive(const Fields& f) {
  f.only({"wall", "group", "velocity", "spin", "centre"});
  if (f.has("wall") == f.has("group")) f.fail("wall", "or \"group\" must be there, and not both");
  if (f.has("velocity") == f.has("spin")) f.fail("velocity", "or \"spin\" must be there, and not both");
  Drive out;
  out.group = f.has("group");
  out.index = f.index(out.group ? "group" : "wall");
  out.turns = f.has("spin");
  if (out.turns) {
    out.spin = f.number("spin");
    out.centre = f.vector("centre");
  } else {
    if (f.has("centre")) f.fail("centre", "goes with \"spin\" only");
    out.velocity = f.vector("velocity");
  }
  return out;
}

Message drop(const Fields& f) {
  f.only({"grain", "at", "count"});
  return Drop{f.index("grain"), f.vector("at"), f.count("count", most_dropped)};
}

Message start_again(const Fields& f) {
  f.only({});
  return StartAgain{};
}

}  // namespace

Message parse_message(const std::string& text) {
  static const std::map<std::string, Message (*)(const Fields&)> kinds{
      {"frame", frame_request}, {"latest", latest_request}, {"pause", pause}, {"step", step_on},       {"pace", pace},
      {"gravity", gravity},     {"drive", drive},           {"drop", drop},   {"restart", start_again}};
  const auto refuse = [](const std::string& problem) -> void {
    throw Error(ErrorKind::input, "message", problem, "docs/viewer.md lists the messages");
  };
  if (text.size() > longest_message) refuse(cat("is longer than ", longest_message, " bytes"));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) refuse("is not a JSON object");
  if (!json.contains("type") || !json["type"].is_string()) refuse("has no \"type\"");
  const auto type = json["type"].get<std::string>();
  const auto kind = kinds.find(type);
  if (kind == kinds.end()) refuse(cat("\"", type.substr(0, 40), "\" is not a type of message"));
  return kind->second(Fields(json, type));
}

}  // namespace scree
