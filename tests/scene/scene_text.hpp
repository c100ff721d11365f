#pragma once
// Scenes as text for tests.
#include <gtest/gtest.h>

#include <string>

#include "scree/base/error.hpp"
#include "scree/scene/scene.hpp"

namespace scree::test {

// A complete scene of one disc; tests add to it.
inline const std::string small_scene = R"([run]
duration = 1
[step]
dt = 1e-3
[grains.disc]
radius = 0.1
[[bodies]]
grain = "disc"
position = [0, 1]
)";

inline Scene read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "scene.toml", overrides);
}

// The message of the error that reading this scene ends with; "" when it is fine.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    read(text, overrides);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
    return e.what();
  }
  return {};
}

}  // namespace scree::test
