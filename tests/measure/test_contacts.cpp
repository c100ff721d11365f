#include "beds.hpp"
#include "scree/measure/chains.hpp"
#include "scree/measure/contacts.hpp"
#include "scree/measure/stress.hpp"

namespace scree::testing {

namespace {

// A square of four discs, each touching two others; a fifth hangs on one of them, a sixth is alone.
Bed ring_and_rattlers() {
  Bed bed;
  for (const Vec2d x : {Vec2d{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {9, 9}}) bed.body(bed.disc, x);
  bed.contact(0, 1, {0.5, 0}, {1, 0}, 1);
  bed.contact(1, 2, {1, 0.5}, {0, 1}, 1);
  bed.contact(3, 2, {0.5, 1}, {1, 0}, 1);
  bed.contact(0, 3, {0, 0.5}, {0, 1}, 1);
  bed.contact(1, 4, {1.5, 0}, {1, 0}, 1);
  return bed;
}

TEST(Coordination, CountsPartnersWithAndWithoutRattlers) {
  Bed bed = ring_and_rattlers();
  const Coordination c = coordination(bed.shot(), {}, true, 2);
  EXPECT_EQ(c.grains, 6u);
  EXPECT_EQ(c.pairs, 5u);
  EXPECT_EQ(c.rattlers, 2u);
  EXPECT_NEAR(c.mean, 10.0 / 6, 1e-12);
  EXPECT_NEAR(c.mean_inner, 2, 1e-12);
  // With three partners asked for, all fall one after the other.
  const Coordination none = coordination(bed.shot(), {}, true, 3);
  EXPECT_EQ(none.rattlers, 6u);
  EXPECT_EQ(none.mean_inner, 0);
}

TEST(Coordination, APairThatTouchesTwiceIsOnePartner) {
  Bed bed;
  bed.body(bed.square, {0, 0});
  bed.body(bed.square, {1, 0});
  bed.contact(0, 1, {0.5, -0.4}, {1, 0}, 1);
  bed.contact(0, 1, {0.5, 0.4}, {1, 0}, 1);
  bed.contact(no_body, 0, {-0.4, -0.5}, {0, 1}, 1);
  bed.contact(no_body, 0, {0.4, -0.5}, {0, 1}, 1);
  const Coordination c = coordination(bed.shot(), {}, true, 2);
  EXPECT_NEAR(c.mean, 1.5, 1e-12);
  EXPECT_NEAR(c.contacts, 3, 1e-12);
  EXPECT_EQ(c.pairs, 2u);
  EXPECT_NEAR(coordination(bed.shot(), {}, false, 2).mean, 1, 1e-12);
}

TEST(Coordination, AHexagonalPackingHasSix) {
  Bed bed;
  bed.hexagonal(4, 4);
  const auto index = [](int i, int j) { return static_cast<std::uint32_t>(((j + 4) % 4) * 4 + (i + 4) % 4); };
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      const Vec2d x = bed.world.bodies.x[index(i, j)];
      const int up = i + (j % 2);  // the right one of the two above
      bed.contact(index(i, j), index(i + 1, j), x + Vec2d{0.5, 0}, {1, 0}, 2);
      bed.contact(index(i, j), index(up, j + 1), x + 0.5 * Vec2d{0.5, Bed::row}, {0.5, Bed::row}, 2);
      bed.contact(index(i, j), index(up - 1, j + 1), x + 0.5 * Vec2d{-0.5, Bed::row}, {-0.5, Bed::row}, 2);
    }
  }
  const Snapshot s = bed.shot();
  const Coordination c = coordination(s, {}, true, 2);
  EXPECT_NEAR(c.mean, 6, 1e-12);
  EXPECT_EQ(c.rattlers, 0u);
  // Isotropic fabric, and the pressure of a hexagonal lattice: 3 f d per grain over twice its area, d^2 sqrt(3) / 2.
  const Fabric f = fabric(s, {}, true);
  EXPECT_NEAR(f.tensor.xx, 0.5, 1e-12);
  EXPECT_NEAR(f.tensor.xy, 0, 1e-12);
  EXPECT_NEAR(f.anisotropy, 0, 1e-12);
  const Stress t = stress(s, {});
  EXPECT_NEAR(t.pressure(), 2 * std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(t.shear(), 0, 1e-12);
  EXPECT_NEAR(t.contact.xy, t.contact.yx, 1e-12);
  // The same in every grain, whose area is pi / 4, and no grain above the mean.
  for (const SymmetricTensor& g : grain_compression(s)) EXPECT_NEAR(g.mean(), 2 * 6 * 0.5 / 2 / (pi / 4), 1e-12);
}

TEST(Fabric, NormalsOfOneDirectionAreAllOfIt) {
  Bed bed;
  for (int i = 0; i < 4; ++i) bed.body(bed.disc, {0.6 * i, 0.8 * i});
  for (std::uint32_t i = 0; i < 3; ++i) bed.contact(i, i + 1, {0.6 * i + 0.3, 0.8 * i + 0.4}, {0.6, 0.8}, 1);
  const Fabric f = fabric(bed.shot(), {}, true);
  EXPECT_NEAR(f.tensor.xx, 0.36, 1e-12);
  EXPECT_NEAR(f.tensor.xy, 0.48, 1e-12);
  EXPECT_NEAR(f.tensor.yy, 0.64, 1e-12);
  EXPECT_NEAR(f.anisotropy, 2, 1e-12);
  EXPECT_NEAR(f.direction, std::atan2(0.8, 0.6), 1e-12);
  EXPECT_EQ(f.contacts, 3u);
}

TEST(Fabric, TheAnisotropyIsTheCoefficientOfItsDensity) {
  // Normals spread by the density (1 + a cos 2(phi - phi0)) / 2 pi, as contacts at its quantiles.
  const double a = 0.4, phi0 = 0.3;
  Bed bed;
  bed.body(bed.disc, {0, 0});
  bed.body(bed.disc, {1, 0});
  const int n = 20000;
  for (int k = 0; k < n; ++k) {
    const double wanted = (k + 0.5) / n * pi;  // integral of 1 + a cos 2u from 0 to u, over half a turn
    double u = wanted;
    for (int i = 0; i < 50; ++i) u -= (u + 0.5 * a * std::sin(2 * u) - wanted) / (1 + a * std::cos(2 * u));
    bed.contact(0, 1, {}, {std::cos(u + phi0), std::sin(u + phi0)}, 1);
  }
  const Fabric f = fabric(bed.shot(), {}, true);
  EXPECT_NEAR(f.anisotropy, a, 1e-6);
  EXPECT_NEAR(f.direction, phi0, 1e-6);
}

TEST(Stress, OfTwoDiscsIsForceTimesBranchOverArea) {
  Bed bed;
  bed.body(bed.disc, {0, 0});
  bed.body(bed.disc, {1, 0});
  bed.contact(0, 1, {0.5, 0}, {1, 0}, 3, 0.5);
  const Stress t = stress(bed.shot(), in({-1, -1}, {2, 1}));
  EXPECT_NEAR(t.contact.xx, -3.0 / 6, 1e-12);
  EXPECT_NEAR(t.contact.yx, -0.5 / 6, 1e-12);  // f_y l_x
  EXPECT_NEAR(t.contact.xy, 0, 1e-12);
  EXPECT_NEAR(t.contact.yy, 0, 1e-12);
  EXPECT_NEAR(t.pressure(), 0.25, 1e-12);
  // Half of the branch is inside a region that ends at the contact; its area is half, too.
  EXPECT_NEAR(stress(bed.shot(), in({-1, -1}, {0.5, 1})).contact.xx, -1.5 / 3, 1e-12);
  EXPECT_EQ(stress(bed.shot(), in({5, 5}, {6, 6})).contacts, 0u);
}

TEST(Stress, OfAColumnBetweenTwoWallsIsForceOverWidth) {
  // Three discs stacked between floor and lid, pressed by P: the box is 1 wide and 3 high.
  for (const bool driven : {false, true}) {
    Bed bed;
    const double p = 7;
    for (int j = 0; j < 3; ++j) bed.body(bed.disc, {0.5, j + 0.5});
    bed.contact(0, 1, {0.5, 1}, {0, 1}, p);
    bed.contact(1, 2, {0.5, 2}, {0, 1}, p);
    bed.contact(no_body, 0, {0.5, 0}, {0, 1}, p);
    if (driven) {  // the lid is a fixed grain, and A of the pair or B
      bed.body(bed.square, {0.5, 3.5}, 0, {}, 0, BodyKind::fixed);
      bed.contact(2, 3, {0.5, 3}, {0, 1}, p);
    } else {
      bed.contact(no_body, 2, {0.5, 3}, {0, -1}, p);
    }
    const Stress t = stress(bed.shot(), in({0, 0}, {1, 3}));
    EXPECT_NEAR(t.contact.yy, -p, 1e-12) << driven;
    EXPECT_NEAR(t.contact.xx, 0, 1e-12);
    EXPECT_NEAR(t.pressure(), 0.5 * p, 1e-12);
    EXPECT_NEAR(t.shear(), 0.5 * p, 1e-12);
    EXPECT_NEAR(t.direction(), pi / 2, 1e-12);
    // A region that reaches into the lid holds the same forces: the material ends at the contact.
    EXPECT_NEAR(stress(bed.shot(), in({0, 0}, {1, 5})).contact.yy, -p * 3 / 5, 1e-12) << driven;
  }
}

TEST(Stress, ABranchAcrossTheSeamCountsOnce) {
  Bed bed;
  bed.periodic_x(0, 4);
  bed.body(bed.disc, {0.25, 0});
  bed.body(bed.disc, {3.25, 0});
  bed.contact(1, 0, {3.75, 0}, {1, 0}, 2);
  EXPECT_NEAR(stress(bed.shot(), in({0, -1}, {4, 1})).contact.xx, -2.0 / 8, 1e-12);
  EXPECT_NEAR(stress(bed.shot(), in({3.5, -1}, {4.5, 1})).contact.xx, -2 * 0.75 / 2, 1e-12);
}

TEST(Stress, TheKineticPartIsOfTheFluctuations) {
  Bed bed;
  bed.body(bed.square, {0, 0}, 0, {5, 1});
  bed.body(bed.square, {2, 0}, 0, {5, -1});
  const Stress t = stress(bed.shot(), in({-1, -1}, {3, 1}));
  EXPECT_NEAR(t.kinetic.yy, -2.0 / 8, 1e-12);
  EXPECT_NEAR(t.kinetic.xx, 0, 1e-12);
  EXPECT_NEAR(t.kinetic_pressure(), 0.125, 1e-12);
}

TEST(Forces, AreCountedOverTheirMean) {
  Bed bed = ring_and_rattlers();
  const double forces[] = {1, 2, 3, 4, 10};
  for (std::size_t k = 0; k < 5; ++k) {
    bed.world.contacts[k].normal_force = forces[k];
    bed.world.contacts[k].tangential_force = k % 2 == 0 ? -0.5 : 0.5;
  }
  const ForceDistribution d = force_distribution(bed.shot(), {}, true, 5);
  EXPECT_NEAR(d.mean, 4, 1e-12);
  EXPECT_NEAR(d.largest, 2.5, 1e-12);
  EXPECT_NEAR(d.deviation, std::sqrt(10.0) / 4, 1e-12);
  EXPECT_NEAR(d.weak, 0.6, 1e-12);
  EXPECT_NEAR(d.friction, 2.5 / 20, 1e-12);
  // Bins of 0.5 mean = 2: [0,2) 1, [2,4) 2 and 3, [4,6) 4, none, [8,10] 10.
  const std::vector<std::size_t> counts = {1, 2, 1, 0, 1};
  EXPECT_EQ(d.counts, counts);
  double whole = 0;
  for (std::size_t k = 0; k < 5; ++k) whole += d.density[k] * (d.edges[k + 1] - d.edges[k]);
  EXPECT_NEAR(whole, 1, 1e-12);
}

TEST(Forces, WithoutContactsThereAreNone) {
  Bed bed;
  EXPECT_NE(error_of([&] { fabric(bed.shot(), {}, true); }).find("no contact"), std::string::npos);
  bed.body(bed.disc, {0, 0});
  bed.contact(no_body, 0, {0, -0.5}, {0, 1}, 1);
  EXPECT_NE(error_of([&] { force_distribution(bed.shot(), {}, false, 5); }).find("walls"), std::string::npos);
  EXPECT_EQ(force_distribution(bed.shot(), {}, true, 5).contacts, 1u);
  EXPECT_NE(error_of([&] {
              coordination(bed.shot(), in({5, 5}, {6, 6}), true, 2);
            }).find("no grain"),
            std::string::npos);
}

// A strong column of five discs, and a weak one beside it.
Bed two_columns(double weak) {
  Bed bed;
  for (int column = 0; column < 2; ++column) {
    for (int j = 0; j < 5; ++j) bed.body(bed.disc, {2.0 * column, j + 0.5});
    const auto first = static_cast<std::uint32_t>(5 * column);
    const double f = column == 0 ? 10 : weak;
    for (std::uint32_t j = 0; j < 4; ++j) bed.contact(first + j, first + j + 1, {2.0 * column, j + 1.0}, {0, 1}, f);
    bed.contact(no_body, first, {2.0 * column, 0}, {0, 1}, f);
    bed.contact(no_body, first + 4, {2.0 * column, 5}, {0, -1}, f);
  }
  return bed;
}

TEST(Chains, TheStrongColumnIsOne) {
  Bed bed = two_columns(1);
  const ForceChains c = force_chains(bed.shot(), {});
  ASSERT_EQ(c.grains.size(), 1u);
  EXPECT_EQ(c.grains[0], (Members{0, 1, 2, 3, 4}));
  EXPECT_EQ(c.longest(), 5u);
  EXPECT_EQ(c.in_chains(), 5u);
  EXPECT_EQ(c.loaded, 10u);
  EXPECT_EQ(c.chain[2], 0);
  EXPECT_EQ(c.chain[7], -1);
  // A column pressed by f has the compression 2 f r / (pi r^2) in every grain.
  EXPECT_NEAR(c.threshold, 5.5 * 2 * 0.5 / (pi * 0.25), 1e-12);
}

TEST(Chains, ALinkLiesWithinTheAngleOfBothAxes) {
  Bed bed = two_columns(10);
  for (int j = 0; j < 10; ++j)
    bed.body(bed.disc, {9, 2.0 * j}), bed.contact(no_body, 10 + j, {9, 2.0 * j - 0.5}, {0, 1}, 1e-3);
  EXPECT_EQ(force_chains(bed.shot(), {}).grains.size(), 2u);
  // A faint contact between the columns, at a right angle to both axes, does not join them; a wide angle does.
  bed.contact(2, 7, {1, 2.5}, {1, 0}, 1e-9);
  EXPECT_EQ(force_chains(bed.shot(), {}).grains.size(), 2u);
  EXPECT_EQ(force_chains(bed.shot(), {}, {pi / 2, 3}).grains.size(), 1u);
  EXPECT_EQ(force_chains(bed.shot(), {}, {pi / 4, 6}).grains.size(), 0u);
}

TEST(Chains, OneAlignedGrainIsNotEnough) {
  // The lower grain is pressed from below and above, the upper one from left and right; the link between them stands.
  Bed bed;
  bed.body(bed.disc, {0, 0});
  bed.body(bed.disc, {0, 1});
  bed.body(bed.disc, {5, 5});
  bed.contact(no_body, 0, {0, -0.5}, {0, 1}, 9);
  bed.contact(no_body, 0, {0, 0.5}, {0, -1}, 9);
  bed.contact(no_body, 1, {-0.5, 1}, {1, 0}, 9);
  bed.contact(no_body, 1, {0.5, 1}, {-1, 0}, 9);
  bed.contact(no_body, 2, {5, 4.5}, {0, 1}, 1e-3);
  bed.contact(0, 1, {0, 0.5}, {0, 1}, 1e-3);
  EXPECT_EQ(force_chains(bed.shot(), {}, {pi / 4, 2}).grains.size(), 0u);
  EXPECT_EQ(force_chains(bed.shot(), {}, {pi / 2, 2}).grains.size(), 1u);
}

TEST(Chains, NothingLoadedMakesNone) {
  Bed bed;
  EXPECT_EQ(force_chains(bed.shot(), {}).grains.size(), 0u);
  bed.body(bed.disc, {0, 0});
  const ForceChains c = force_chains(bed.shot(), {});
  EXPECT_EQ(c.threshold, 0);
  EXPECT_EQ(c.longest(), 0u);
}

}  // namespace

}  // namespace scree::testing
