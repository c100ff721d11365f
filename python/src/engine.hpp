#pragma once
// A Simulation that others look into while it runs. Plain C++: nothing here knows Python.
//
// Arrays of grains are handed out without a copy. Each holds a Hold, which keeps the memory it looks at: the
// simulation's own, until grains come or go. Then the simulation moves to new memory and the Hold keeps the old one, so
// that an array taken before stays readable, with the values it had, for as long as it lives.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scree/record/state.hpp"
#include "scree/scene/maps.hpp"
#include "scree/scene/scene.hpp"
#include "scree/step/simulation.hpp"

namespace scree::python {

class Engine;

struct Hold {
  std::shared_ptr<const Engine> engine;
  Bodies kept;  // what arrays look at once grains have come or gone
};

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  // `scene` has its maps. Grains that are due at the start are there when this returns.
  explicit Engine(Scene scene, std::vector<MapUse> maps = {});

  const Scene& scene() const { return scene_; }  // without its world
  const std::vector<MapUse>& maps() const { return maps_; }
  const Simulation& simulation() const { return simulation_; }
  const World& world() const { return simulation_.world(); }

  // Whole steps, until the step counter is `end_step`, the time has come to within half a step of `due`, an event has
  // happened, or `seconds` have passed; at least one unless the first two hold already. Returns how many.
  std::uint64_t advance(std::uint64_t end_step, double due, double seconds);
  std::size_t events_done() const;

  // Events, insertions and deletions due now. advance() begins with it; put() wants it done.
  void prepare();
  // Puts in places and velocities of all bodies at once; see Simulation::change.
  void put(const std::vector<Vec2d>& x, const std::vector<double>& theta, const std::vector<Vec2d>& v,
           const std::vector<double>& omega);
  // Adds events; those of a time that is past happen at the next step.
  void schedule(const std::vector<Event>& events);
  // Values of series_columns() now.
  std::vector<double> series();
  std::uint64_t state_hash() const;
  // Error(input) when there was no step since the start or since the last put(): a run that goes on from such a state
  // would not have the same bits.
  void save(const std::filesystem::path& file, const std::vector<MeasureMemory>& measures) const;

  // For arrays of grains, from now until grains come or go.
  std::shared_ptr<Hold> hold() const;
  // False once grains have come or gone since `hold` was made.
  bool current(const Hold& hold) const { return holds_.lock().get() == &hold; }

  // Held by whoever looks at or changes the simulation; throws std::runtime_error when another thread does.
  class Turn {
   public:
    explicit Turn(const Engine& engine);
    ~Turn() { engine_.taken_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    const Engine& engine_;
  };

 private:
  bool grains_may_change() const;
  void do_what_is_due();

  Scene scene_;
  std::vector<MapUse> maps_;
  Simulation simulation_;
  bool stepped_ = false;  // the last change was a step
  mutable std::weak_ptr<Hold> holds_;
  mutable std::atomic<bool> taken_ = false;
};

}  // namespace scree::python
