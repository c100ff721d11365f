#pragma once
// A measure that is read now and then while a run goes on.
#include <optional>
#include <string>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/measure/measure.hpp"

namespace scree {

class LiveMeasure {
 public:
  explicit LiveMeasure(const MeasureSettings& settings) : name_(settings.name), measure_(make_measure(settings)) {}

  const std::string& name() const { return name_; }
  const Measure& measure() const { return measure_; }

  // Not being defined yet, because the pile is still to come, is no reason to stop a run: then there is no value.
  Reading read(const Snapshot& snapshot);
  // Why no sample so far had a value, if none had.
  std::optional<std::string> undefined() const;

  // What it remembers of earlier samples, and taking it back when a run goes on.
  std::vector<double> memory();
  void go_on(const std::vector<double>& memory);

 private:
  void remember(Memory& m);

  std::string name_;
  Measure measure_;
  bool defined_ = false;
  std::optional<Error> failure_;  // the last one
};

}  // namespace scree
