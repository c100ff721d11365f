#include "reproduce/kept.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run_json.hpp"

namespace scree {

using Json = nlohmann::ordered_json;

namespace {

// JSON knows no NaN: null.
Json number_json(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }
double number_of(const Json& j) { return j.is_number() ? j.get<double>() : cli::unknown; }

Json list_json(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double v : values) out.push_back(number_json(v));
  return out;
}
std::vector<double> list_of(const Json& j) {
  std::vector<double> out;
  for (const Json& v : j) out.push_back(number_of(v));
  return out;
}

Json optional_json(const auto& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

void to_json(Json& j, const ChartAxis& a) {
  j = {{"label", a.label},
       {"logarithmic", a.logarithmic},
       {"lo", optional_json(a.lo)},
       {"hi", optional_json(a.hi)},
       {"categories", a.categories}};
}
void from_json(const Json& j, ChartAxis& a) {
  a.label = j.at("label");
  a.logarithmic = j.at("logarithmic");
  if (j.at("lo").is_number()) a.lo = j.at("lo").get<double>();
  if (j.at("hi").is_number()) a.hi = j.at("hi").get<double>();
  a.categories = j.at("categories").get<std::vector<std::string>>();
}

void to_json(Json& j, const ChartSeries& s) {
  j = {{"name", s.name}, {"x", list_json(s.x)}, {"y", list_json(s.y)}, {"error", list_json(s.error)},
       {"line", s.line}, {"marks", s.marks},    {"dashed", s.dashed},  {"colour_of", optional_json(s.colour_of)}};
}
void from_json(const Json& j, ChartSeries& s) {
  s.name = j.at("name");
  s.x = list_of(j.at("x"));
  s.y = list_of(j.at("y"));
  s.error = list_of(j.at("error"));
  s.line = j.at("line");
  s.marks = j.at("marks");
  s.dashed = j.at("dashed");
  if (j.at("colour_of").is_number()) s.colour_of = j.at("colour_of").get<int>();
}

void to_json(Json& j, const Chart& c) {
  j = {{"title", c.title}, {"x", c.x}, {"y", c.y}, {"series", c.series}, {"width", c.width}, {"height", c.height}};
}
void from_json(const Json& j, Chart& c) {
  c.title = j.at("title");
  c.x = j.at("x").get<ChartAxis>();
  c.y = j.at("y").get<ChartAxis>();
  c.series = j.at("series").get<std::vector<ChartSeries>>();
  c.width = j.at("width");
  c.height = j.at("height");
}

}  // namespace scree

namespace scree::cli {

namespace {

constexpr Verdict verdicts[] = {Verdict::holds, Verdict::fails, Verdict::undecided, Verdict::not_run};

Verdict parse_verdict(const std::string& text) {
  for (const Verdict v : verdicts)
    if (text == verdict_text(v)) return v;
  return Verdict::not_run;
}

}  // namespace

void to_json(Json& j, const Finding& f) {
  j = {{"claim", f.claim}, {"verdict", verdict_text(f.verdict)}, {"number", f.number}, {"reason", f.reason}};
}
void from_json(const Json& j, Finding& f) {
  f = {j.at("claim"), parse_verdict(j.at("verdict")), j.at("number"), j.at("reason")};
}

void to_json(Json& j, const Figure& f) { j = {{"file", f.file}, {"caption", f.caption}}; }
void from_json(const Json& j, Figure& f) { f = {j.at("file"), j.at("caption")}; }

void to_json(Json& j, const Table& t) { j = {{"caption", t.caption}, {"header", t.header}, {"rows", t.rows}}; }
void from_json(const Json& j, Table& t) {
  t.caption = j.at("caption");
  t.header = j.at("header").get<std::vector<std::string>>();
  t.rows = j.at("rows").get<std::vector<std::vector<std::string>>>();
}

void to_json(Json& j, const UsedScene& u) {
  j = {{"file", u.file}, {"overrides", u.overrides}, {"hash", u.hash}, {"command", u.command}};
}
void from_json(const Json& j, UsedScene& u) {
  u = {j.at("file"), j.at("overrides").get<std::vector<std::string>>(), j.at("hash"), j.at("command")};
}

void to_json(Json& j, const Quantity& q) {
  j = {{"name", q.name},
       {"value", number_json(q.value)},
       {"error", number_json(q.error)},
       {"unit", q.unit},
       {"note", q.note}};
}
void from_json(const Json& j, Quantity& q) {
  q = {j.at("name"), number_of(j.at("value")), number_of(j.at("error")), j.at("unit"), j.at("note")};
}

namespace {

Json result_json(const KeptResult& r) {
  const Outcome& o = r.outcome;
  return {{"experiment", r.experiment},
          {"quick", r.quick},
          {"version", r.version},
          {"commit", r.commit},
          {"cpu", r.cpu},
          {"threads", r.threads},
          {"finished", r.finished},
          {"seconds", r.seconds},
          {"command", r.command},
          {"findings", o.findings},
          {"quantities", o.quantities},
          {"tables", o.tables},
          {"charts", o.charts},
          {"figures", o.figures},
          {"scenes", r.scenes}};
}

KeptResult result_of(const Json& j) {
  KeptResult r;
  r.experiment = j.at("experiment");
  r.quick = j.at("quick");
  r.version = j.at("version");
  r.commit = j.at("commit");
  r.cpu = j.at("cpu");
  r.threads = j.at("threads");
  r.finished = j.at("finished");
  r.seconds = j.at("seconds");
  r.command = j.at("command");
  r.scenes = j.at("scenes").get<std::vector<UsedScene>>();
  r.outcome = {j.at("findings").get<std::vector<Finding>>(), j.at("quantities").get<std::vector<Quantity>>(),
               j.at("charts").get<std::vector<Chart>>(), j.at("figures").get<std::vector<Figure>>(),
               j.at("tables").get<std::vector<Table>>()};
  return r;
}

std::string dumped(const Json& j) { return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_number(double v) { return std::isfinite(v) ? fmt::format("{:.10g}", v) : ""; }

}  // namespace

void write_result(const std::filesystem::path& folder, const KeptResult& result) {
  write_atomic(folder / "result.json", dumped(result_json(result)));
}

std::optional<KeptResult> read_result(const std::filesystem::path& folder) {
  std::ifstream in(folder / "result.json");
  const Json j = Json::parse(in, nullptr, false);
  if (!j.is_object()) return {};
  try {
    return result_of(j);
  } catch (const Json::exception&) { return {}; }  // of another version of the program
}

std::string results_json(const std::vector<KeptResult>& results) {
  Json out = Json::array();
  for (const KeptResult& r : results) out.push_back(result_json(r));
  return dumped({{"program", "scree"}, {"experiments", out}});
}

std::string results_csv(const std::vector<KeptResult>& results) {
  std::string out = "experiment,quick,quantity,value,error,unit,note\n";
  for (const KeptResult& r : results) {
    for (const Quantity& q : r.outcome.quantities)
      out += fmt::format("{},{},{},{},{},{},{}\n", r.experiment, r.quick ? "yes" : "no", csv_cell(q.name),
                         csv_number(q.value), csv_number(q.error), csv_cell(q.unit), csv_cell(q.note));
  }
  return out;
}

}  // namespace scree::cli
