#pragma once
// Whole steps of settled beds on a device, timed and held against the least they must cost.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device_beds.hpp"
#include "scree/cuda/card.hpp"
#include "scree/cuda/step_floor.hpp"
#include "scree/step/simulation.hpp"
#include "torch_queries.hpp"

namespace scree::cli {

struct DeviceOptions {
  std::string device;  // "" while none was named
  std::vector<std::string> only;
  BedSize size;
  double settle = 8;  // time at most
  int rounds = 5;
  int steps = 200;            // of a round
  std::size_t worlds = 2048;  // of 500 grains
  std::string output = "bench/results/gpu.csv";
  TorchProgram torch;
};

struct DeviceResult {
  std::string row, measure, unit;
  double value = 0;
  double bar = 0;  // 0: none
  bool at_least = false;
  double floor = 0;  // in the unit of value; 0: not counted
  gpu::StepCounts counts = {};
  double dt = 0, time = 0;  // of the bed
  double mean_speed = 0;
  double bytes_a_grain = 0;

  bool met() const { return at_least ? value >= bar : value <= bar; }
};

class DeviceBench {
 public:
  explicit DeviceBench(const DeviceOptions& options);

  // One row of beds: which grains, which maps, and how they are stepped.
  struct BedRow {
    std::string grains;
    MapSettings maps;
    bool ledger = false;
    bool in_double = false;
    double bar = 0;  // ms a step
  };
  void bed(const std::string& row, const BedRow& what);
  void worlds();   // many small ones in one launch
  void room();     // how many grains fit into a gigabyte
  void queries();  // PyTorch's too, where it is there
  void training();

  const std::optional<gpu::Card>& card() const { return card_; }
  const std::vector<DeviceResult>& results() const { return results_; }
  const std::vector<std::string>& notes() const { return notes_; }
  ProgressLine& line() { return line_; }

 private:
  bool on_gpu() const { return options_.device == "cuda"; }
  void demand_gpu() const;
  StepSettings settings(const BedRow& what) const;
  World settled(const BedRow& what);
  void run(Simulation& sim, double time, const std::string& what);
  void settle(Simulation& sim, const std::string& what);
  std::shared_ptr<const ContactMap> net(const std::string& name);
  double round_milliseconds(Simulation& sim) const;
  double card_bytes(World world, const BedRow& what);
  void add(DeviceResult result);
  void against_torch(const std::vector<std::filesystem::path>& maps, const std::vector<std::size_t>& poses,
                     const std::map<std::pair<std::string, std::size_t>, double>& ours);

  const DeviceOptions& options_;
  ProgressLine line_;
  std::optional<gpu::Card> card_;
  std::map<std::string, World> settled_;  // by grains
  std::map<std::string, std::shared_ptr<const ContactMap>> nets_;
  std::map<std::string, DeviceResult> trained_;  // how long that took
  std::vector<DeviceResult> results_;
  std::vector<std::string> notes_;
};

}  // namespace scree::cli
