#pragma once
// Round numbers for scales and axes.
#include <string>
#include <vector>

namespace scree {

// 1, 2 or 5 times a power of ten, at most `value` (> 0).
double round_down(double value);
// Smallest "nice" value (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten) not below `value`.
double round_up(double value);
// Round ticks that cover [0, top], about `count` of them, 0 and round values only.
std::vector<double> ticks(double top, int count);
// Shortest decimal for a tick of a scale with step `step`.
std::string tick_label(double value, double step);

}  // namespace scree
