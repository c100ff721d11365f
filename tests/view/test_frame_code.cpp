#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "record/demo_world.hpp"
#include "scree/base/error.hpp"
#include "scree/record/view.hpp"
#include "scree/view/frame_code.hpp"
#include "scree/view/mesh.hpp"

namespace scree {
namespace {

// A frame read back, as the page does.
struct Decoded {
  FrameHeader h;
  std::vector<std::uint32_t> counts, ids, ends;
  std::vector<float> walls, x, points;
  std::vector<std::int16_t> state, reach;

  explicit Decoded(const Bytes& bytes) : h(header_of(bytes)) {
    std::size_t at = sizeof(FrameHeader);
    const auto take = [&](auto& out, std::size_t count) {
      out.resize(count);
      const std::size_t size = count * sizeof(out[0]);
      EXPECT_EQ(at % 4, 0u);
      ASSERT_LE(at + size, bytes.size());
      if (size > 0) std::memcpy(out.data(), bytes.data() + at, size);
      at += size;
    };
    take(counts, h.types), take(walls, 4 * h.walls);
    take(x, 2 * h.grains), take(state, 6 * h.grains), take(ids, h.grains);
    take(ends, 2 * h.contacts), take(points, 2 * h.contacts), take(reach, 6 * h.contacts);
    EXPECT_EQ(at, bytes.size());
  }
};

struct Case {
  World world = demo::drum(6);
  Statics statics = statics_of(world);
  Frame frame = frame_of(world);
  Bytes bytes = encode_frame(statics, frame, {0.25, -0.5});
  Decoded d{bytes};
};

TEST(FrameCode, GrainsComeBackWithinTheStatedResolution) {
  const Case c;
  ASSERT_EQ(c.d.h.grains, c.frame.id.size());
  const std::vector<double> forces = grain_forces(c.frame);
  const std::vector<std::int32_t> partners = grain_partners(c.frame);
  const auto value = [&](std::size_t k, int part, double top) { return c.d.state[6 * k + part] / 32767.0 * top; };
  std::size_t type = 0, left = c.d.counts[0];
  for (std::size_t k = 0; k < c.d.ids.size(); ++k, --left) {
    while (left == 0) left = c.d.counts[++type];
    const std::size_t i = find_grain(c.frame, c.d.ids[k]);
    ASSERT_LT(i, c.frame.id.size());
    EXPECT_EQ(c.frame.type[i], type);
    EXPECT_NEAR(c.d.x[2 * k] + 0.25, c.frame.x[i].x, 1e-6);
    EXPECT_NEAR(c.d.x[2 * k + 1] - 0.5, c.frame.x[i].y, 1e-6);
    const double turn = std::remainder(value(k, 0, std::numbers::pi) - c.frame.theta[i], 2 * std::numbers::pi);
    EXPECT_NEAR(turn, 0, 5e-5);
    EXPECT_NEAR(value(k, 1, c.d.h.top_speed), c.frame.v[i].x, 2e-5 * c.d.h.top_speed);
    EXPECT_NEAR(value(k, 2, c.d.h.top_speed), c.frame.v[i].y, 2e-5 * c.d.h.top_speed);
    EXPECT_NEAR(value(k, 3, c.d.h.top_spin), c.frame.omega[i], 2e-5 * c.d.h.top_spin);
    EXPECT_NEAR(value(k, 4, c.d.h.top_force), forces[i], 2e-5 * c.d.h.top_force);
    EXPECT_EQ(c.d.state[6 * k + 5] & 255, partners[i]);
    EXPECT_EQ(c.d.state[6 * k + 5] >> 8 & 3, static_cast<int>(c.frame.kind[i]));
    EXPECT_EQ(c.d.state[6 * k + 5] >> 10 & 63, c.frame.group[i]);
  }
}

TEST(FrameCode, GroupsBeyondTheLastBitsAreOne) {
  Case c;
  for (std::size_t i = 0; i < c.frame.group.size(); ++i) c.frame.group[i] = static_cast<std::uint16_t>(7 * i);
  const Bytes bytes = encode_frame(c.statics, c.frame, {});
  const Decoded d{bytes};
  for (std::size_t k = 0; k < d.ids.size(); ++k) {
    const std::size_t i = find_grain(c.frame, d.ids[k]);
    EXPECT_EQ(d.state[6 * k + 5] >> 10 & 63, std::min<int>(c.frame.group[i], 63));
    EXPECT_EQ(d.state[6 * k + 5] >> 8 & 3, static_cast<int>(c.frame.kind[i]));
  }
}

TEST(FrameCode, ContactsNameTheirGrainsAndPoints) {
  const Case c;
  ASSERT_EQ(c.d.h.contacts, c.frame.contacts.size());
  for (std::size_t k = 0; k < c.frame.contacts.size(); ++k) {
    EXPECT_EQ(c.d.ids[c.d.ends[2 * k]], c.frame.contacts[k].a);
    EXPECT_EQ(c.d.ids[c.d.ends[2 * k + 1]], c.frame.contacts[k].b);
    EXPECT_NEAR(c.d.reach[6 * k + 4] / 32767.0 * c.d.h.top_contact, c.frame.contacts[k].normal_force,
                2e-5 * c.d.h.top_contact);
    // Point plus arm is the centre of B.
    const std::uint32_t b = c.d.ends[2 * k + 1];
    const double arm = c.d.h.arm / 32767.0;
    EXPECT_NEAR(c.d.points[2 * k] + arm * c.d.reach[6 * k + 2], c.d.x[2 * b], 1e-4);
    EXPECT_NEAR(c.d.points[2 * k + 1] + arm * c.d.reach[6 * k + 3], c.d.x[2 * b + 1], 1e-4);
  }
}

TEST(FrameCode, AnAnswerWithoutContactsIsShorterAndSaysHowManyThereAre) {
  const Case c;
  const auto bare = answer(c.bytes, 7, 3, false);
  const Decoded d(*bare);
  EXPECT_EQ(d.h.request, 7u);
  EXPECT_EQ(d.h.index, 3u);
  EXPECT_EQ(d.h.contacts, 0u);
  EXPECT_EQ(d.h.all_contacts, c.frame.contacts.size());
  EXPECT_EQ(c.bytes.size() - bare->size(), 28 * c.frame.contacts.size());
  EXPECT_EQ(d.x, c.d.x);
  EXPECT_EQ(Decoded(*answer(c.bytes, 1, 2, true)).ends, c.d.ends);
}

TEST(FrameCode, AFailedRunCanBeEncoded) {
  World world = demo::drum(3);
  world.bodies.x[2] = {std::nan(""), 1};
  world.bodies.v[3] = {INFINITY, 0};
  world.bodies.theta[4] = std::nan("");
  const Decoded d(encode_frame(statics_of(world), frame_of(world), {}));
  for (const float v : d.x) EXPECT_TRUE(std::isfinite(v));
  EXPECT_TRUE(std::isfinite(d.h.top_speed));
}

TEST(FrameCode, AContactOfAGrainThatIsNotThereIsAnError) {
  const World world = demo::drum(3);
  Frame frame = frame_of(world);
  ASSERT_FALSE(frame.contacts.empty());
  frame.contacts[0].b = 1000;
  EXPECT_THROW(encode_frame(statics_of(world), frame, {}), Error);
}

TEST(FrameCode, AnEmptyWorldIsAFrameToo) {
  const World world = demo::empty_world();
  EXPECT_EQ(encode_frame(statics_of(world), frame_of(world), {}).size(), sizeof(FrameHeader));
}

// Every named shape, at every level: the triangles cover the outline, and shrinking by the inward vectors shrinks it.
TEST(Mesh, LevelsCoverEveryNamedShape) {
  for (const ShapeRecipe& entry : shape_recipes()) {
    const Shape shape = make_named_shape(entry.name);
    const std::vector<Mesh> levels = mesh_levels(shape.outline);
    ASSERT_FALSE(levels.empty()) << entry.name;
    for (const Mesh& mesh : levels) {
      const auto area = [&](double inset) {
        double sum = 0;
        for (std::size_t k = 0; k < mesh.index.size(); k += 3) {
          const auto p = [&](std::size_t i) { return mesh.points[mesh.index[i]] + inset * mesh.inward[mesh.index[i]]; };
          sum += 0.5 * cross(p(k + 1) - p(k), p(k + 2) - p(k));
        }
        return sum;
      };
      EXPECT_NEAR(area(0), shape.area, 0.11 * shape.area) << entry.name << " at " << mesh.tolerance;
      EXPECT_LT(area(0.05 * shape.thinnest), area(0)) << entry.name;
      ASSERT_EQ(mesh.points.size(), mesh.inward.size());
      ASSERT_EQ(mesh.loops.size(), shape.outline.loops.size());
    }
  }
}

}  // namespace
}  // namespace scree
