#pragma once
// A run inside the page: one HTML file that needs no program and no network.
#include <filesystem>
#include <string>
#include <vector>

#include "scree/view/recorded_session.hpp"

namespace scree {

// These frames of the run, compressed. Calls `progress` with the share done; it may throw to give up. Error(input) when
// they are more than a browser takes. Returns the HTML.
std::string html_of(const std::string& page, const RecordedRun& run, const std::vector<std::size_t>& frames,
                    const std::function<void(double)>& progress);

}  // namespace scree
