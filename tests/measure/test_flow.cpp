#include "beds.hpp"
#include "scree/base/rng.hpp"
#include "scree/measure/energy_decay.hpp"
#include "scree/measure/flow.hpp"
#include "scree/measure/mixing.hpp"

namespace scree::testing {

namespace {

// Six squares in a row at y = 1, one of which drops to y = -1 a unit of time: 0, 1, 2, ... are below at time t.
Snapshot silo(Bed& bed, int below, double time) {
  for (int i = 0; i < 6; ++i) bed.world.bodies.x[static_cast<std::size_t>(i)].y = i < below ? -1 : 1;
  return bed.shot(time);
}

Bed six() {
  Bed bed;
  for (int i = 0; i < 6; ++i) bed.body(bed.square, {2.0 * i, 1});
  return bed;
}

const Selection above = in({-open_side, 0}, {open_side, open_side});

TEST(Discharge, CountsWhatHasLeftAndHowFast) {
  Bed bed = six();
  DischargeMeter meter(0);
  EXPECT_FALSE(meter.add(silo(bed, 0, 0), above).rate.has_value());
  EXPECT_NEAR(*meter.add(silo(bed, 1, 0.5), above).rate, 2, 1e-12);
  const Discharge d = meter.add(silo(bed, 4, 1.5), above);
  EXPECT_EQ(d.count, 4u);
  EXPECT_NEAR(d.mass, 4, 1e-12);
  EXPECT_NEAR(*d.rate, 3, 1e-12);
  EXPECT_NEAR(*d.mass_rate, 3, 1e-12);
  // One that comes back is inside again.
  EXPECT_EQ(meter.add(silo(bed, 3, 2), above).count, 3u);
}

TEST(Discharge, DeletedGrainsHaveLeftToo) {
  Bed bed = six();
  DischargeMeter meter(0);
  meter.add(bed.shot(0), above);
  bed.world.bodies.remove({1, 0, 1, 0, 0, 0});
  EXPECT_EQ(meter.add(bed.shot(1), above).count, 2u);
  // And grains that come later are counted once they were inside.
  bed.body(bed.square, {50, 1});
  EXPECT_EQ(meter.add(bed.shot(2), above).count, 2u);
  bed.world.bodies.x.back().y = -3;
  EXPECT_EQ(meter.add(bed.shot(3), above).count, 3u);
}

TEST(Discharge, TheRateIsOverTheWindow) {
  Bed bed = six();
  DischargeMeter meter(2);
  const int below[] = {0, 0, 1, 3, 3, 6};
  double last = 0;
  for (int t = 0; t < 6; ++t) last = meter.add(silo(bed, below[t], 0.5 * t), above).rate.value_or(-1);
  // At t = 2.5 the sample at 0.5 is two units old: (6 - 0) / 2.
  EXPECT_NEAR(last, 3, 1e-12);
}

TEST(Clog, NothingLeavesWhileGrainsRemainAboveTheOpening) {
  Bed bed = six();
  ClogDetector detector(1, Vec2d{3, 7});  // above the opening: grains 2 and 3
  EXPECT_FALSE(detector.add(silo(bed, 0, 0), above).clogged);
  EXPECT_FALSE(detector.add(silo(bed, 1, 0.5), above).clogged);
  EXPECT_FALSE(detector.add(silo(bed, 1, 1.4), above).clogged);
  Clog c = detector.add(silo(bed, 1, 1.5), above);
  EXPECT_TRUE(c.clogged);
  EXPECT_NEAR(c.idle, 1, 1e-12);
  EXPECT_EQ(c.remaining, 2u);
  EXPECT_EQ(c.discharged, 1u);
  // It breaks, and empties: what lies beside the opening is no clog.
  EXPECT_FALSE(detector.add(silo(bed, 4, 2), above).clogged);
  c = detector.add(silo(bed, 4, 9), above);
  EXPECT_FALSE(c.clogged);
  EXPECT_EQ(c.remaining, 0u);
}

TEST(Discharge, IdsNeedNotBeDense) {
  Bed bed = six();
  bed.world.bodies.id.back() = 4294967290u;
  DischargeMeter meter(0);
  meter.add(silo(bed, 0, 0), above);
  EXPECT_EQ(meter.add(silo(bed, 6, 1), above).count, 6u);
}

TEST(Clog, AnOpeningMayLieAcrossTheSeam) {
  Bed bed = six();  // x = 0, 2, ... 10
  bed.periodic_x(0, 12);
  ClogDetector detector(1, Vec2d{9, 13});
  EXPECT_EQ(detector.add(bed.shot(0), above).remaining, 2u);  // at 10, and at 12 the image of 0
}

TEST(Velocity, ShearFlowIsLinear) {
  Bed bed;
  for (int j = 0; j < 10; ++j)
    for (int i = 0; i < 3; ++i) bed.body(bed.square, {1.0 * i, j + 0.5}, 0, {2.0 * j, -1}, 0.5 * j);
  VelocityProfile profile(Axis::y, 10);
  profile.add(bed.shot(), in({-1, 0}, {9, 10}));
  const auto slices = profile.slices();
  ASSERT_EQ(slices.size(), 10u);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(slices[k].velocity.x, 2.0 * static_cast<double>(k), 1e-12);
    EXPECT_NEAR(slices[k].velocity.y, -1, 1e-12);
    EXPECT_NEAR(slices[k].omega, 0.5 * static_cast<double>(k), 1e-12);
    EXPECT_NEAR(slices[k].temperature, 0, 1e-9);
    EXPECT_EQ(slices[k].grains, 3);
  }
}

TEST(Velocity, MeansAreByMassAndOverSamples) {
  Bed bed;
  bed.body(bed.square, {0.2, 0.5}, 0, {1, 0});  // mass 1
  bed.body(bed.disc, {0.8, 0.5}, 0, {-1, 0});   // mass pi / 4
  VelocityProfile profile(Axis::x, 2);
  const Selection region = in({0, 0}, {2, 1});
  profile.add(bed.shot(), region);
  const double m = pi / 4, u = (1 - m) / (1 + m);
  EXPECT_NEAR(profile.slices()[0].velocity.x, u, 1e-12);
  EXPECT_NEAR(profile.slices()[0].temperature, 0.5 * (1 - u * u), 1e-12);
  EXPECT_EQ(profile.slices()[1].grains, 0);
  EXPECT_EQ(profile.slices()[1].velocity.x, 0);
  bed.world.bodies.v[0] = bed.world.bodies.v[1] = {3, 0};
  profile.add(bed.shot(1), region);
  EXPECT_NEAR(profile.slices()[0].velocity.x, 0.5 * (u + 3), 1e-12);
  EXPECT_EQ(profile.slices()[0].grains, 2);
}

TEST(Energy, IsThatOfMassAndSpin) {
  Bed bed;
  const auto i = bed.body(bed.square, {0, 0}, 0, {3, 4}, 2);
  const KineticEnergy e = kinetic_energy(bed.shot(), {i});
  EXPECT_NEAR(e.translational, 12.5, 1e-12);
  EXPECT_NEAR(e.rotational, 0.5 * 4 / 6, 1e-12);  // I = m a^2 / 6
}

TEST(Energy, AnExponentialHasItsTimeConstantAndHalfTime) {
  DecayFit fit(0.01);
  EnergyDecay d;
  const double tau = 0.7;
  for (int k = 0; k <= 400; ++k) d = fit.add(5 + 0.01 * k, 8 * std::exp(-0.01 * k / tau));
  EXPECT_NEAR(*d.time_constant, tau, 1e-9);
  EXPECT_NEAR(*d.time_constant_error, 0, 1e-6);
  EXPECT_NEAR(*d.half_time, tau * std::log(2.0), 1e-4);  // samples are 0.01 apart: h^2 / (8 tau) at most
}

TEST(Energy, TheErrorOfTheFitIsThatOfItsResiduals) {
  // ln E = 0, -1, -3 at 0, 1, 2: slope -3/2, residual sum of squares 1/6, Sxx 2.
  DecayFit fit(0);
  fit.add(0, 1);
  fit.add(1, std::exp(-1.0));
  const EnergyDecay d = fit.add(2, std::exp(-3.0));
  EXPECT_NEAR(*d.time_constant, 2.0 / 3, 1e-12);
  EXPECT_NEAR(*d.time_constant_error, std::sqrt(1.0 / 12) / 2.25, 1e-9);
  EXPECT_NEAR(*d.half_time, 0.5 / (1 - std::exp(-1.0)), 1e-12);
}

TEST(Energy, ADecayStartsAtThePeak) {
  DecayFit fit(0.01);
  EnergyDecay d;
  for (int k = 0; k < 30; ++k) d = fit.add(0.1 * k, k < 10 ? 0.3 * k : 3 * std::exp(-0.1 * (k - 10)));
  EXPECT_NEAR(*d.time_constant, 1, 1e-9);
  EXPECT_NEAR(*d.half_time, std::log(2.0), 2e-3);  // samples are 0.1 apart: h^2 / (8 tau) at most
}

TEST(Energy, TheFloorLeavesNoiseOut) {
  DecayFit fit(0.01);
  EnergyDecay d;
  for (int k = 0; k < 100; ++k) d = fit.add(0.1 * k, std::max(std::exp(-0.1 * k), 1e-3));
  EXPECT_NEAR(*d.time_constant, 1, 1e-9);
}

TEST(Energy, WithoutADecayThereIsNoTimeConstant) {
  DecayFit rest(0.01), growth(0.01);
  EnergyDecay d;
  for (int k = 0; k < 5; ++k) d = rest.add(k, 0);
  EXPECT_FALSE(d.time_constant.has_value());
  for (int k = 0; k < 5; ++k) d = growth.add(k, 1 + k);
  EXPECT_FALSE(d.time_constant.has_value());
  EXPECT_FALSE(d.half_time.has_value());
}

// Squares and discs on a lattice; disc where `disc(i, j)`.
template <class Choose>
Bed lattice(int nx, int ny, Choose disc) {
  Bed bed;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) bed.body(disc(i, j) ? bed.disc : bed.square, {2.0 * i + 1, 2.0 * j + 1});
  return bed;
}

TEST(Mixing, SegregatedIsZeroAndPerfectIsAboveOne) {
  Bed apart = lattice(8, 8, [](int i, int) { return i < 4; });
  const Selection all = in({0, 0}, {16, 16});
  const auto index = [&](Bed& bed, double cell) {
    const Snapshot s = bed.shot();
    return lacey_index(s, all, species_by_grain(s), cell);
  };
  EXPECT_NEAR(index(apart, 4).index, 0, 1e-12);
  EXPECT_EQ(index(apart, 4).cells, 16u);
  EXPECT_EQ(index(apart, 4).species, 2u);
  // A chequerboard has no variance at all: 1 / (1 - (K - 1) / (N - 1)).
  Bed board = lattice(8, 8, [](int i, int j) { return (i + j) % 2 == 0; });
  EXPECT_NEAR(index(board, 4).index, 1 / (1 - 15.0 / 63), 1e-12);
}

TEST(Mixing, TheMeanOverAllArrangementsIsOne) {
  // 6 grains in 3 cells of unequal filling (1, 2, 3), two of them discs: all 15 arrangements.
  const double x[] = {1, 11, 13, 21, 23, 25};
  double sum = 0;
  int count = 0;
  for (int p = 0; p < 6; ++p) {
    for (int q = p + 1; q < 6; ++q) {
      Bed bed;
      for (int i = 0; i < 6; ++i) bed.body(i == p || i == q ? bed.disc : bed.square, {x[i], 1});
      const Snapshot s = bed.shot();
      sum += lacey_index(s, in({0, 0}, {30, 10}), species_by_grain(s), 10).index;
      ++count;
    }
  }
  EXPECT_EQ(count, 15);
  EXPECT_NEAR(sum / count, 1, 1e-12);
}

TEST(Mixing, OneShufflingOfManyGrainsIsNearOne) {
  Rng rng(11);
  Bed bed = lattice(40, 40, [&](int, int) { return rng.uniform() < 0.3; });
  const Snapshot s = bed.shot();
  // 100 cells of 16: the index scatters by about sqrt(2 / 100) / 16.
  EXPECT_NEAR(lacey_index(s, in({0, 0}, {80, 80}), species_by_grain(s), 8).index, 1, 0.03);
}

TEST(Mixing, SpeciesByWhereTheyStarted) {
  MeasureSettings o;
  o.kind = "mixing";
  o.by = Species::start;
  o.axis = Axis::x;
  o.cell = 4;
  o.selection = in({0, 0}, {16, 16});
  const Measure m = make_measure(o);
  Bed bed = lattice(8, 8, [](int, int) { return false; });
  EXPECT_NEAR(*m.read(bed.shot(0)).values[0], 0, 1e-12);
  // Reflect every other row: halves of each cell come from the other side.
  for (std::size_t k = 0; k < 64; ++k)
    if ((k / 8) % 2 == 1) bed.world.bodies.x[k].x = 16 - bed.world.bodies.x[k].x;
  EXPECT_NEAR(*m.read(bed.shot(1)).values[0], 1 / (1 - 15.0 / 63), 1e-12);
}

TEST(Mixing, SaysWhyItIsNotDefined) {
  Bed bed = lattice(4, 4, [](int, int) { return false; });
  const auto message = [&](const Selection& where, double cell) {
    const Snapshot s = bed.shot();
    return error_of([&] { lacey_index(s, where, species_by_grain(s), cell); });
  };
  EXPECT_NE(message({}, 4).find("one species"), std::string::npos);
  bed.world.bodies.type[0] = static_cast<std::uint16_t>(bed.disc);
  EXPECT_NE(message({}, 100).find("smaller cell"), std::string::npos);
  EXPECT_NE(message({}, 1).find("larger cell"), std::string::npos);
  EXPECT_NE(message(in({50, 50}, {51, 51}), 1).find("no grain"), std::string::npos);
}

}  // namespace

}  // namespace scree::testing
