#include "scree/view/recorded_session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/scene.hpp"

namespace scree {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::chrono::milliseconds look_interval{500};

fs::file_time_type written_at(const fs::path& file) {
  std::error_code failed;
  const auto time = fs::last_write_time(file, failed);
  return failed ? fs::file_time_type{} : time;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::string title_of(const RecordedRun& run) {
  try {
    const std::string title = parse_scene_look(run.scene_text, "scene of the run").title;
    if (!title.empty()) return title;
  } catch (const Error&) {}  // a damaged text has no title
  return run.file.empty() ? std::string() : fs::absolute(run.file).parent_path().filename().string();
}

}  // namespace

RunInfo info_of(const RecordedRun& run) {
  const Scales scales = find_scales(run.statics, run.times.size(), run.read);
  const SceneLook look = look_of_scene(run.scene_text);
  return {run.statics, look, scales, title_of(run), 0.5 * (scales.view.lo + scales.view.hi)};
}

Json hello_of(const RunInfo& info, const RecordedRun& run) {
  Json hello = hello_of(info);
  hello["times"] = run.times;
  hello["series"] = json_of(run.series);
  return hello;
}

std::vector<PlotSeries> read_series_csv(const fs::path& file) {
  struct Column {
    const char *name, *title;
  };
  static constexpr std::array<Column, 5> shown{{{"kinetic", "kinetic energy"},
                                                {"max_speed", "largest speed"},
                                                {"contacts", "contacts"},
                                                {"grains", "grains"},
                                                {"deepest_overlap", "deepest overlap"}}};
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return {};
  const std::vector<std::string> header = cells_of(line);
  std::vector<PlotSeries> out;
  std::vector<std::size_t> columns;
  for (const Column& c : shown) {
    const auto at = std::find(header.begin(), header.end(), c.name);
    if (at == header.end()) continue;
    columns.push_back(static_cast<std::size_t>(at - header.begin()));
    out.push_back({c.title, "", "run", {}, {}});
  }
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < header.size()) break;  // still being written
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out[k].times.push_back(std::strtod(cells[0].c_str(), nullptr));
      out[k].values.push_back(cells[columns[k]].empty() ? std::nan("")
                                                        : std::strtod(cells[columns[k]].c_str(), nullptr));
    }
  }
  return out;
}

RecordedSession::RecordedSession(std::function<RecordedRun()> open)
    : open_(std::move(open)), run_(open_()), info_(info_of(run_)), scaled_frames_(run_.times.size()) {
  written_ = written_at(run_.file);
}

void RecordedSession::join(ViewClient& client) {
  clients_.insert(&client);
  client.send(hello_of(info_, run_).dump());
}

void RecordedSession::receive(ViewClient& client, const Message& message) {
  const auto* request = std::get_if<FrameRequest>(&message);
  if (!request || request->latest)
    throw Error(ErrorKind::input, "message", "a recorded run takes no commands",
                "`scree view SCENE.toml` runs a scene that does");
  if (!run_.read) look_again();
  if (request->index >= run_.times.size())
    throw Error(ErrorKind::input, "message \"frame\", field \"index\"",
                cat("there is no frame ", request->index, "; there are ", run_.times.size()), "frames count from 0");
  const Bytes bytes = encode_frame(run_.statics, run_.read(request->index), info_.origin);
  client.send(answer(bytes, request->request, request->index, request->contacts));
}

void RecordedSession::tick() {
  const auto begin = Clock::now();
  if (begin < look_at_) return;
  const auto written = written_at(run_.file);
  const bool changed = written != written_ && written != fs::file_time_type{};  // a removed file stays open
  try {
    if (changed || !run_.read) {
      look_again();
      written_ = written;
    }
  } catch (const Error&) {}  // replaced or half-written: it is tried again
  look_at_ = Clock::now() + std::max<Clock::duration>(look_interval, 4 * (Clock::now() - begin));
}

// The file is closed first: as long as a process has it open, HDF5 gives that process the file as it was.
void RecordedSession::look_again() {
  run_.read = nullptr;
  RecordedRun now = open_();
  const std::size_t known = run_.times.size(), count = now.times.size();
  const bool same = known <= count && std::equal(run_.times.begin(), run_.times.end(), now.times.begin());
  Json news;
  if (!same) {  // another run in the place of the one that was there
    info_ = info_of(now);
    scaled_frames_ = count;
    news = hello_of(info_, now);
  } else if (count > known) {
    news = {{"type", "grown"}, {"times", now.times}, {"series", json_of(now.series)}};
    // Scales of a growing run are looked at anew when there is half as much again of it.
    if (2 * count > 3 * scaled_frames_) {
      info_.scales = find_scales(now.statics, count, now.read);
      scaled_frames_ = count;
      news["scales"] = json_of(info_.scales);
    }
  }
  run_ = std::move(now);
  if (news.is_null()) return;
  const std::string text = news.dump();
  for (ViewClient* client : clients_) client->send(text);
}

}  // namespace scree
