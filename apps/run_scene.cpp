#include "run_scene.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <initializer_list>

#include "build_info.hpp"
#include "film.hpp"
#include "run_json.hpp"
#include "scree/base/background.hpp"
#include "scree/implicit/implicit_solver.hpp"
#include "scree/measure/live_measure.hpp"
#include "scree/record/measure_csv.hpp"
#include "scree/record/series.hpp"
#include "scree/record/trajectory.hpp"
#include "scree/step/resolve.hpp"
#include "scree/step/timer.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

// All that a run may write.
std::vector<fs::path> file_names(const Scene& scene) {
  std::vector<fs::path> names(run_file_names.begin(), run_file_names.end());
  for (const SceneFile& file : scene.files) names.push_back(file.name);
  for (const MeasureSettings& m : scene.measures) {
    for (const std::string& name : measure_file_names(m)) names.push_back(name);
  }
  return names;
}

std::vector<RecordedMeasure> recorded_measures(const Scene& scene) {
  std::vector<RecordedMeasure> out;
  for (const MeasureSettings& m : scene.measures) out.push_back(recorded_measure(m, make_measure(m)));
  return out;
}

LargeStepEnd end_of_large_steps(const Simulation& simulation) {
  const World& world = simulation.world();
  double deepest = 0;
  for (const Contact& c : world.contacts) deepest = std::max(deepest, -c.gap);
  const double of_gravity = norm(world.gravity.at(world.time)) * simulation.settings().dt;
  return {deepest / scales_of_grains(world).radius, simulation.stats().max_speed < of_gravity};
}

// A measure of the scene and its files.
class FiledMeasure {
 public:
  FiledMeasure(const MeasureSettings& settings, double dt, const fs::path& folder, std::optional<double> keep_until)
      : measure_(settings), timer_(settings.every, dt), files_(folder, settings, measure_.measure(), keep_until) {}

  MeasureMemory memory() { return {measure_.name(), measure_.memory()}; }
  void go_on(double time, const std::vector<MeasureMemory>& memories) {
    timer_.pass(time);
    const auto own = std::ranges::find(memories, measure_.name(), &MeasureMemory::name);
    if (own != memories.end()) measure_.go_on(own->values);
  }

  bool due(double time) { return timer_.due(time); }
  double next() const { return timer_.next(); }
  Reading write(const Snapshot& snapshot) {
    Reading reading = measure_.read(snapshot);
    files_.write(snapshot.time, reading);
    return reading;
  }
  // Why there is no value in the files, if there is none.
  std::optional<std::string> undefined() const { return measure_.undefined(); }

 private:
  LiveMeasure measure_;
  Timer timer_;
  MeasureFiles files_;
};

class Run {
 public:
  Run(Scene& scene, const std::vector<MapUse>& maps, const RunOptions& options)
      : scene_(scene),
        maps_(maps),
        options_(options),
        started_(utc_now()),
        files_(file_names(scene)),
        simulation_(start()),
        frame_timer_(scene.run.frame_interval, simulation_.settings().dt),
        series_(path("series.csv"), keep_until()) {
    end_time_ = options.until.value_or(scene.run.duration);
    for (const MeasureSettings& m : scene.measures) {
      measures_.emplace_back(m, simulation_.settings().dt, options.folder, keep_until());
      if (options.restart) measures_.back().go_on(options.restart->time, options.restart->measures);
    }
  }

  RunResult run(RunObserver& observer) {
    RunResult result;
    try {
      result.end = loop(observer);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::physics) throw;
      result.end = RunEnd::failed;
      result.failure = e;
    }
    finish(result);
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;

  fs::path path(const char* name) const { return options_.folder / name; }

  std::string record(const RunResult* result) const {
    return run_json(scene_, maps_, options_, started_, files_, result);
  }

  // run.json comes first and names every file to come, so that --force can clear away even a run that was killed.
  void write_inputs() const {
    write_atomic(path("run.json"), record(nullptr));
    if (options_.restart) return;
    write_atomic(path("scene.toml"), scene_.text);
    for (const SceneFile& file : scene_.files) {
      std::error_code failed;
      fs::copy_file(file.source, options_.folder / file.name, fs::copy_options::overwrite_existing, failed);
      if (failed) throw Error(ErrorKind::system, file.source.string(), "cannot be copied: " + failed.message());
    }
  }

  // The world moves into the simulation; the scene keeps what run.json shows of it.
  Simulation start() {
    write_inputs();
    const std::vector<Insertion> insertions = scene_.world.insertions;
    Simulation simulation(std::move(scene_.world), scene_.step);
    scene_.world = World{};
    scene_.world.insertions = insertions;
    return simulation;
  }

  // The time up to which the files of a run that goes on are kept; half a step above it, for they hold rounded times.
  std::optional<double> keep_until() const {
    if (!options_.restart) return {};
    return options_.restart->time + 0.5 * simulation_.settings().dt;
  }

  // The file gets its name when it can be read: at once, or when the frames and samples of the run so far are copied
  // from the one it takes the place of.
  TrajectoryWriter start_trajectory() {
    const fs::path file = path("trajectory.h5");
    TrajectoryWriter out(path("trajectory.h5.part"), simulation_.world(), record(nullptr), recorded_measures(scene_));
    if (options_.restart && fs::exists(file)) copy_trajectory(TrajectoryReader(file), out);
    out.rename(file);
    return out;
  }

  // A frame that was not due, written when the run was interrupted, is left out.
  void copy_trajectory(const TrajectoryReader& old, TrajectoryWriter& out) {
    for (std::size_t k = 0; k < old.frames() && old.times()[k] <= *keep_until(); ++k) {
      if (frame_timer_.due(old.times()[k])) out.write(old.read(k));
    }
    const std::vector<MeasureSamples> samples = old.measures();
    for (std::size_t m = 0; m < samples.size(); ++m) {
      for (std::size_t k = 0; k < samples[m].times.size() && samples[m].times[k] <= *keep_until(); ++k)
        out.write_measure(m, samples[m].times[k], samples[m].readings[k]);
    }
  }

  RunEnd loop(RunObserver& observer) {
    begin_ = Clock::now();
    if (!options_.restart) simulation_.prepare();  // so that the first frame shows the first grains
    trajectory_.emplace(start_trajectory());
    if (!options_.film.empty()) film_.emplace(options_.film, scene_.text, simulation_.world());
    const double dt = simulation_.settings().dt;
    Timer series(scene_.run.series_interval, dt);
    Timer states(scene_.run.state_interval, dt);
    if (options_.restart) {
      for (Timer* timer : {&frame_timer_, &series, &states}) timer->pass(options_.restart->time);
    }
    const auto steps = static_cast<std::uint64_t>(std::max(0.0, std::ceil(end_time_ / dt - 1e-6)));
    for (;;) {
      const double time = simulation_.glance().time;
      output_.check();
      write_due(time, series.due(time), states.due(time));
      if (observer.wants_status()) observer.status(status());
      const std::uint64_t left = steps - std::min(steps, simulation_.glance().step);
      if (left == 0) return RunEnd::finished;
      if (options_.stop_requested && options_.stop_requested()) return RunEnd::interrupted;
      simulation_.advance(std::min<std::size_t>(left, steps_until({frame_timer_, series, states}, time)));
    }
  }

  // Steps that can be asked for at once without missing anything that is due; the last few before it go one by one.
  std::size_t steps_until(std::initializer_list<std::reference_wrapper<const Timer>> timers, double time) const {
    const std::size_t most = simulation_.most_at_once();
    if (most == 1) return 1;
    double next = time + static_cast<double>(most) * simulation_.settings().dt;
    for (const Timer& timer : timers) next = std::min(next, timer.next());
    for (const FiledMeasure& m : measures_) next = std::min(next, m.next());
    return static_cast<std::size_t>(std::max(1.0, std::floor((next - time) / simulation_.settings().dt - 0.5)));
  }

  void save(const fs::path& file, const World& world) {
    std::vector<MeasureMemory> memories;
    for (FiledMeasure& m : measures_) memories.push_back(m.memory());
    write_state(file, world, simulation_.settings(), scene_.text, memories);
  }

  // What is due is written from a copy, in the background: the simulation goes on meanwhile.
  void write_due(double time, bool line, bool state) {
    const bool frame = frame_timer_.due(time);
    std::vector<std::size_t> measures;
    for (std::size_t k = 0; k < measures_.size(); ++k) {
      if (measures_[k].due(time)) measures.push_back(k);
    }
    if (!frame && !line && !state && measures.empty()) return;
    std::shared_ptr<World> now;
    if (frame || state || !measures.empty()) now = std::make_shared<World>(simulation_.world());
    if (frame) output_.post([this, now] { write_frame(*now); });
    if (line) {
      const Ledger ledger = simulation_.energy();
      const World& world = simulation_.world();
      output_.post([this, now, ledger, time, step = world.step, stats = simulation_.stats(), n = world.bodies.size()] {
        series_.write(time, step, ledger, stats, n);
        if (now) now->ledger = ledger;
      });
    }
    if (!measures.empty()) output_.post([this, now, time, measures] { write_measures(*now, time, measures); });
    if (state) output_.post([this, now] { save(path("state.h5"), *now); });
  }

  void write_frame(const World& world) {
    if (film_) film_->draw(world);
    if (!film_ || trajectory_->frames() == 0) trajectory_->write(world);
  }

  void write_measures(const World& world, double time, const std::vector<std::size_t>& due) {
    const Snapshot snapshot = snapshot_of(world);
    for (const std::size_t k : due) trajectory_->write_measure(k, time, measures_[k].write(snapshot));
  }

  RunStatus status(bool last = false) {
    RunStatus s;
    const World& world = simulation_.glance();  // a GPU is not asked for the sake of a progress line
    s.time = world.time;
    s.end_time = end_time_;
    s.step = world.step;
    s.grains = world.bodies.size();
    s.stats = simulation_.stats();
    s.ledger = last || simulation_.most_at_once() == 1 ? simulation_.energy() : world.ledger;
    s.wall_seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    const std::uint64_t steps = s.step - (options_.restart ? options_.restart->step : 0);
    s.steps_per_second = s.wall_seconds > 0 ? static_cast<double>(steps) / s.wall_seconds : 0;
    return s;
  }

  void finish(RunResult& result) {
    const bool failed = result.end == RunEnd::failed;
    output_.finish();
    if (film_) film_->finish();
    result.last = status(true);
    result.dt = simulation_.settings().dt;
    for (const FiledMeasure& m : measures_) {
      if (const auto why = m.undefined()) result.undefined.push_back(*why);
    }
    result.state_hash = simulation_.state_hash();
    if (is_implicit(simulation_.settings().solver)) result.large_steps = end_of_large_steps(simulation_);
    for (const DeletionZone& zone : simulation_.world().deletion_zones) result.deleted += zone.deleted;
    if (result.end == RunEnd::interrupted && !film_) trajectory_->write(simulation_.world());
    if (trajectory_) result.frames = trajectory_->frames();
    save(path(failed ? "failed-state.h5" : "state.h5"), simulation_.world());
    for (const fs::path& file : files_) {
      if (fs::exists(options_.folder / file)) result.files.push_back(file);
    }
    files_ = result.files;
    write_atomic(path("run.json"), record(&result));
  }

  Scene& scene_;
  const std::vector<MapUse>& maps_;
  const RunOptions& options_;
  std::string started_;
  std::vector<fs::path> files_;
  Simulation simulation_;
  Timer frame_timer_;
  std::optional<TrajectoryWriter> trajectory_;  // made when the first grains are there
  std::optional<Film> film_;
  SeriesWriter series_;
  std::vector<FiledMeasure> measures_;
  double end_time_ = 0;
  Clock::time_point begin_ = Clock::now();
  Background output_{4};  // last: what waits in it uses the others
};

}  // namespace

RunResult run_scene(Scene& scene, const std::vector<MapUse>& maps, const RunOptions& options, RunObserver& observer) {
  try {
    return Run(scene, maps, options).run(observer);
  } catch (const std::exception& e) {
    record_failure(options.folder, e.what());
    throw;
  }
}

}  // namespace scree::cli
