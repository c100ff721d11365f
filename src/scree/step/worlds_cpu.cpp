// Worlds as simulations side by side, each on one thread.
#include "scree/step/drive.hpp"
#include "scree/step/worlds_backend.hpp"

namespace scree {

namespace {

class CpuWorlds final : public WorldsBackend {
 public:
  CpuWorlds(std::size_t count, const StepSettings& settings)
      : settings_(settings), pool_(settings.threads), simulations_(count), stopped_(count, 0) {
    settings_.threads = 1;
  }

  void keep(const World& state) override { states_.push_back(state); }

  void take_up(std::size_t world, std::size_t state) override {
    World start = states_[state];
    if (start.step == 0) start.contacts.clear(), start.pair_contacts = 0;  // the first step begins with finding them
    simulations_[world] = std::make_unique<Simulation>(std::move(start), settings_);
    stopped_[world] = 0;
  }

  std::vector<WorldFault> advance(std::size_t steps) override {
    std::vector<std::unique_ptr<Error>> errors(simulations_.size());
    pool_.run(simulations_.size(), [&](std::size_t w) {
      if (stopped_[w]) return;
      try {
        simulations_[w]->advance(steps);
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::physics) throw;
        errors[w] = std::make_unique<Error>(of_world(w, e));
      }
    });
    std::vector<WorldFault> faults;
    for (std::size_t w = 0; w < errors.size(); ++w) {
      if (!errors[w]) continue;
      stopped_[w] = 1;
      faults.push_back({w, step(w), time(w), *errors[w]});
    }
    return faults;
  }

  void change(std::size_t world, const std::function<void(World&)>& edit) override {
    World& w = simulations_[world]->mutable_world();
    edit(w);
    apply_motions(w);
  }

  void read(std::span<Worlds::Row> places, std::span<Worlds::Row> velocities) override {
    std::size_t at = 0;
    for (const auto& simulation : simulations_) {
      const Bodies& b = simulation->world().bodies;
      for (std::size_t k = 0; k < b.size(); ++k, ++at) {
        places[at] = {b.x[k].x, b.x[k].y, b.theta[k]};
        velocities[at] = {b.v[k].x, b.v[k].y, b.omega[k]};
      }
    }
  }

  World world(std::size_t world) override { return simulations_[world]->world(); }
  double time(std::size_t world) const override { return simulations_[world]->world().time; }
  std::uint64_t step(std::size_t world) const override { return simulations_[world]->world().step; }

 private:
  StepSettings settings_;
  ThreadPool pool_;
  std::vector<World> states_;
  std::vector<std::unique_ptr<Simulation>> simulations_;
  std::vector<std::uint8_t> stopped_;
};

}  // namespace

std::unique_ptr<WorldsBackend> make_cpu_worlds(std::size_t count, const StepSettings& settings) {
  return std::make_unique<CpuWorlds>(count, settings);
}

}  // namespace scree
