#include "scree/measure/live_measure.hpp"

#include <algorithm>

namespace scree {

Reading LiveMeasure::read(const Snapshot& snapshot) {
  try {
    Reading reading = measure_.read(snapshot);
    defined_ = defined_ || std::ranges::any_of(reading.values, [](const auto& value) { return value.has_value(); });
    return reading;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    failure_ = e;
    return measure_.nothing();
  }
}

std::optional<std::string> LiveMeasure::undefined() const {
  if (defined_) return {};
  const std::string start = "measure \"" + name_ + "\" had no value at any sample";
  if (!failure_) return start;
  return start + ": " + failure_->problem() + (failure_->remedy().empty() ? "" : "; " + failure_->remedy());
}

std::vector<double> LiveMeasure::memory() {
  Memory m;
  remember(m);
  return m.values();
}

void LiveMeasure::go_on(const std::vector<double>& memory) {
  Memory m(memory);
  remember(m);
  m.finish();
}

void LiveMeasure::remember(Memory& m) {
  m(defined_);
  if (measure_.remember) measure_.remember(m);
}

}  // namespace scree
