#include "scree/view/live_session.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

using Json = nlohmann::json;

namespace {

constexpr std::chrono::milliseconds publish_interval{12}, status_interval{500}, grown_interval{700};
constexpr double longest_lag = 0.2;            // seconds behind its pace after which the clock starts anew
constexpr std::size_t most_samples = 4000;     // of a plot
constexpr std::size_t most_scale_frames = 48;  // looked at for scales
constexpr std::size_t most_commands = 256;     // that wait
constexpr std::size_t most_notes = 16;         // at once; the page shows the last
constexpr std::size_t run_series = 4;          // kinetic energy, largest speed, contacts, grains

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Every second one stays, the last among them.
template <class T>
void thin(std::vector<T>& values) {
  std::vector<T> kept;
  for (std::size_t k = (values.size() + 1) % 2; k < values.size(); k += 2) kept.push_back(std::move(values[k]));
  values = std::move(kept);
}

RunInfo first_info(const World& world, const LiveOptions& o) {
  RunInfo info;
  info.statics = statics_of(world);
  info.look = o.look;
  info.scales = find_scales(info.statics, frame_of(world));
  info.title = o.title;
  info.origin = 0.5 * (info.scales.view.lo + info.scales.view.hi);
  return info;
}

Json vector_json(Vec2d v) { return {v.x, v.y}; }

}  // namespace

LiveSession::LiveSession(World world, const StepSettings& settings, LiveOptions options)
    : options_(std::move(options)),
      run_(std::move(world), settings),
      info_(first_info(run_.world(), options_)),
      hello_(hello_of(info_)),
      frame_timer_(options_.frame_interval, run_.dt()),
      frame_interval_(options_.frame_interval),
      paused_(options_.paused),
      pace_(options_.pace) {
  hello_["live"] = true;
  start_again();
  thread_ = std::thread([this] { loop(); });
}

LiveSession::~LiveSession() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

// ---- the simulation's thread ----------------------------------------------------------------------------------------

void LiveSession::loop() {
  for (;;) {
    if (!take_commands()) return;
    bool idle = false;
    {
      std::unique_lock lock(mutex_);
      idle = (paused_ && steps_left_ == 0) || !failure_.empty();
      if (idle) wake_.wait_for(lock, std::chrono::milliseconds(100), [&] { return stop_ || !commands_.empty(); });
    }
    if (idle) continue;
    if (steps_left_ == 0 && ahead()) {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, std::chrono::milliseconds(2), [&] { return stop_ || !commands_.empty(); });
      continue;
    }
    advance();
  }
}

// False when the session ends.
bool LiveSession::take_commands() {
  std::vector<Message> commands;
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return false;
    commands.swap(commands_);
  }
  for (const Message& command : commands) {
    try {
      carry_out(command);
    } catch (const Error& e) { say(error_message(e)); }
  }
  if (commands.empty()) return true;
  publish_controls();
  reset_clock();
  publish();
  return true;
}

void LiveSession::carry_out(const Message& command) {
  if (const auto* pause = std::get_if<Pause>(&command)) {
    const std::lock_guard lock(mutex_);
    paused_ = pause->paused;
    steps_left_ = 0;
    status_new_ = true;
  } else if (const auto* step = std::get_if<StepOn>(&command)) {
    const std::lock_guard lock(mutex_);
    paused_ = true;
    steps_left_ = step->count;
    status_new_ = true;
  } else if (const auto* pace = std::get_if<Pace>(&command)) {
    const std::lock_guard lock(mutex_);
    pace_ = pace->value;
    status_new_ = true;
  } else if (std::holds_alternative<StartAgain>(command)) {
    run_.start_again();
    start_again();
  } else if (const auto* gravity = std::get_if<SetGravity>(&command)) {
    run_.apply(*gravity);
    say(note_message(cat("Gravity is ", gravity->value.x, ", ", gravity->value.y, " from now on.")));
  } else if (const auto* drive = std::get_if<Drive>(&command)) {
    run_.apply(*drive);
  } else if (const auto* drop = std::get_if<Drop>(&command)) {
    const std::size_t placed = run_.apply(*drop);
    if (placed < static_cast<std::size_t>(drop->count))
      say(note_message(cat("There was room for ", placed, " of ", drop->count, " grains.")));
  }
}

void LiveSession::reset_clock() {
  clock_start_ = rate_start_ = Clock::now();
  clock_time_ = run_.world().time;
  rate_step_ = run_.world().step;
}

// Of its pace: then it waits.
bool LiveSession::ahead() const {
  double pace = 0;
  {
    const std::lock_guard lock(mutex_);
    pace = pace_;
  }
  return pace > 0 && run_.world().time - clock_time_ > pace * seconds_since(clock_start_);
}

void LiveSession::advance() {
  try {
    run_.step();
  } catch (const std::exception& e) {
    const std::lock_guard lock(mutex_);
    failure_ = e.what();
    paused_ = status_new_ = true;
  }
  record();
  const bool last_step = steps_left_ > 0 && --steps_left_ == 0;
  const bool over = !ended_ && options_.end > 0 && run_.world().time >= options_.end - 0.5 * run_.dt();
  bool show = last_step || over;
  {
    const std::lock_guard lock(mutex_);
    time_ = run_.world().time;
    step_ = run_.world().step;
    if (over) paused_ = ended_ = status_new_ = true;
    show = show || !failure_.empty() || (wanted_ && Clock::now() - published_at_ >= publish_interval);
    const double lag = seconds_since(clock_start_) - (pace_ > 0 ? (time_ - clock_time_) / pace_ : 0);
    const double watched = seconds_since(rate_start_);
    if (watched > 0.5) {
      steps_per_second_ = static_cast<double>(step_ - rate_step_) / watched;
      rate_start_ = Clock::now();
      rate_step_ = step_;
    }
    if (lag > longest_lag) clock_start_ = Clock::now(), clock_time_ = time_;
  }
  if (over) say(note_message("The scene's duration is over; play goes on beyond it."));
  if (show) publish();
}

std::shared_ptr<const Bytes> LiveSession::encoded() {
  Bytes bytes = encode_frame(info_.statics, frame_of(run_.world()), info_.origin);
  set_revision(bytes, ++revision_);
  return std::make_shared<const Bytes>(std::move(bytes));
}

void LiveSession::publish() {
  auto frame = encoded();
  published_at_ = Clock::now();
  const std::lock_guard lock(mutex_);
  latest_ = std::move(frame);
  wanted_ = false;
}

void LiveSession::publish_controls() {
  Json movers = Json::array();
  for (const Mover& m : run_.movers())
    movers.push_back({{"kind", m.group ? "group" : "wall"},
                      {"index", m.index},
                      {"name", m.name},
                      {"turns", m.turns},
                      {"velocity", vector_json(m.velocity)},
                      {"spin", m.spin},
                      {"centre", vector_json(m.centre)}});
  Json controls{{"gravity", vector_json(run_.gravity())},
                {"grains", run_.droppable()},
                {"movers", std::move(movers)},
                {"speedLimit", run_.speed_limit()},
                {"gravityLimit", run_.gravity_limit()}};
  const std::lock_guard lock(mutex_);
  controls_ = std::move(controls);
  controls_new_ = true;
}

void LiveSession::start_again() {
  measures_.clear();
  std::vector<PlotSeries> series;
  for (const char* name : {"kinetic energy", "largest speed", "contacts", "grains"})
    series.push_back({name, "", "run", {}, {}});
  for (const MeasureSettings& m : options_.measures) {
    measures_.push_back({LiveMeasure(m), Timer(m.every, run_.dt()), series.size()});
    for (const MeasureColumn& c : measures_.back().measure.measure().columns)
      series.push_back({c.name, c.unit, m.name, {}, {}});
  }
  frame_interval_ = options_.frame_interval;
  frame_timer_ = Timer(frame_interval_, run_.dt());
  samples_.clear();
  sample_stride_ = 1;
  frames_seen_ = scaled_frames_ = 0;
  ended_ = false;
  steps_left_ = 0;
  {
    const std::lock_guard lock(mutex_);
    history_.clear();
    history_bytes_ = 0;
    series_ = std::move(series);
    failure_.clear();
    time_ = run_.world().time;
    step_ = run_.world().step;
    status_new_ = history_new_ = true;
  }
  reset_clock();
  publish_controls();
  record();
  publish();
}

// What is due at this time: a frame to keep, samples of the plots.
void LiveSession::record() {
  const double time = run_.world().time;
  sample(time);
  if (!frame_timer_.due(time)) return;
  keep_frame(encoded());
  if (frames_seen_++ % sample_stride_ == 0) samples_.push_back(frame_of(run_.world()));
  if (samples_.size() > most_scale_frames) {
    thin(samples_);
    sample_stride_ *= 2;
  }
  if (2 * frames_seen_ > 3 * scaled_frames_) find_new_scales();
}

void LiveSession::keep_frame(std::shared_ptr<const Bytes> frame) {
  const double time = run_.world().time;
  const std::lock_guard lock(mutex_);
  history_bytes_ += frame->size();
  history_.push_back({time, std::move(frame)});
  history_new_ = true;
  if (history_bytes_ <= options_.history_bytes || history_.size() < 4) return;
  thin(history_);
  history_bytes_ = 0;
  for (const Kept& k : history_) history_bytes_ += k.frame->size();
  frame_interval_ *= 2;
  frame_timer_ = Timer(frame_interval_, run_.dt());
  frame_timer_.pass(time);
}

void LiveSession::sample(double time) {
  const auto put = [&](std::size_t k, double value) {
    series_[k].times.push_back(time);
    series_[k].values.push_back(value);
    if (series_[k].times.size() <= most_samples) return;
    thin(series_[k].times);
    thin(series_[k].values);
  };
  std::optional<Snapshot> snapshot;
  for (Sampled& m : measures_) {
    if (!m.timer.due(time)) continue;
    if (!snapshot) snapshot = snapshot_of(run_.world());
    const Reading reading = m.measure.read(*snapshot);
    const std::lock_guard lock(mutex_);
    for (std::size_t c = 0; c < reading.values.size(); ++c) put(m.first + c, reading.values[c].value_or(std::nan("")));
  }
  if (time + 0.5 * run_.dt() < frame_timer_.next()) return;
  const double kinetic = run_.simulation().energy().kinetic;
  const StepStats stats = run_.simulation().stats();
  const std::lock_guard lock(mutex_);
  const double values[run_series] = {kinetic, stats.max_speed, static_cast<double>(stats.contacts),
                                     static_cast<double>(run_.world().bodies.size())};
  for (std::size_t k = 0; k < run_series; ++k) put(k, values[k]);
}

void LiveSession::find_new_scales() {
  scaled_frames_ = frames_seen_;
  const auto read = [&](std::size_t k) { return samples_[k]; };
  Scales scales = find_scales(info_.statics, samples_.size(), read);
  const std::lock_guard lock(mutex_);
  info_.scales = std::move(scales);
  scales_new_ = true;
}

void LiveSession::say(std::string message) {
  const std::lock_guard lock(mutex_);
  if (outbox_.size() == most_notes) outbox_.erase(outbox_.begin());
  outbox_.push_back(std::move(message));
}

// ---- the server's thread --------------------------------------------------------------------------------------------

Json LiveSession::status() const {
  return {{"type", "status"},
          {"paused", paused_},
          {"pace", pace_},
          {"time", time_},
          {"step", step_},
          {"failure", failure_},
          {"stepsPerSecond", steps_per_second_}};
}

Json LiveSession::grown() const {
  Json times = Json::array();
  for (const Kept& k : history_) times.push_back(k.time);
  return {{"type", "grown"}, {"times", std::move(times)}, {"series", json_of(series_)}};
}

void LiveSession::join(ViewClient& client) {
  clients_[&client] = {};
  Json hello = hello_;
  std::string now;
  {
    const std::lock_guard lock(mutex_);
    const Json all = grown();
    hello["times"] = all["times"];
    hello["series"] = all["series"];
    hello["scales"] = json_of(info_.scales);
    hello["controls"] = controls_;
    now = status().dump();
  }
  client.send(hello.dump());
  client.send(std::move(now));
}

void LiveSession::leave(ViewClient& client) { clients_.erase(&client); }

void LiveSession::receive(ViewClient& client, const Message& message) {
  const auto* request = std::get_if<FrameRequest>(&message);
  if (!request) {
    const std::lock_guard lock(mutex_);
    if (commands_.size() >= most_commands)
      throw Error(ErrorKind::input, "message", "too many commands wait for the next step", "send fewer");
    commands_.push_back(message);
    wake_.notify_all();
    return;
  }
  if (request->latest) {
    clients_[&client] = *request;
    answer_waiting();
    return;
  }
  std::shared_ptr<const Bytes> frame;
  {
    const std::lock_guard lock(mutex_);
    if (request->index < history_.size()) frame = history_[request->index].frame;
  }
  if (!frame)
    throw Error(ErrorKind::input, "message \"frame\", field \"index\"", cat("there is no frame ", request->index),
                "frames count from 0");
  client.send(answer(*frame, request->request, request->index, request->contacts));
}

void LiveSession::answer_waiting() {
  std::shared_ptr<const Bytes> frame;
  {
    const std::lock_guard lock(mutex_);
    frame = latest_;
  }
  bool waiting = false;
  for (auto& [client, request] : clients_) {
    if (!request) continue;
    if (static_cast<double>(header_of(*frame).revision) > request->after) {
      client->send(answer(*frame, request->request, live_frame, request->contacts));
      request.reset();
    } else {
      waiting = true;
    }
  }
  if (!waiting) return;
  const std::lock_guard lock(mutex_);
  wanted_ = true;
}

void LiveSession::tell_all(const std::string& text) {
  for (auto& [client, request] : clients_) client->send(text);
}

void LiveSession::tick() {
  answer_waiting();
  const Clock::time_point now = Clock::now();
  std::vector<std::string> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(outbox_);
    if (status_new_ || now - status_at_ > status_interval) {
      messages.push_back(status().dump());
      status_new_ = false;
      status_at_ = now;
    }
    if (controls_new_) messages.push_back(Json{{"type", "controls"}, {"controls", controls_}}.dump());
    controls_new_ = false;
    if (history_new_ && now - grown_at_ > grown_interval) {
      Json message = grown();
      if (scales_new_) message["scales"] = json_of(info_.scales);
      messages.push_back(message.dump());
      history_new_ = scales_new_ = false;
      grown_at_ = now;
    }
  }
  for (const std::string& text : messages) tell_all(text);
}

}  // namespace scree
