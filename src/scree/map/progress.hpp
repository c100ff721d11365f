#pragma once
// How a long build tells its caller where it stands.
#include <functional>
#include <string>

namespace scree {

// Called now and then with the finished fraction in [0, 1] and a short word for the stage. Calls may come from a
// worker thread, never two at once.
using Progress = std::function<void(double fraction, const std::string& stage)>;

}  // namespace scree
