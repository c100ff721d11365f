#include "scree/record/series.hpp"

#include <fmt/format.h>

namespace scree {

SeriesWriter::SeriesWriter(const std::filesystem::path& csv, std::optional<double> keep_until)
    : file_(csv,
            "time,step,grains,contacts,pairs,queries,rebuilds,deepest_overlap,max_speed,kinetic,gravity,elastic,"
            "normal_damping,friction,rotational_damping,wall_work,gravity_work,inserted,initial,moved,residual,"
            "relative_residual\n",
            keep_until) {}

void SeriesWriter::write(double time, std::uint64_t step, const Ledger& l, const StepStats& s, std::size_t grains) {
  file_.put(
      fmt::format("{:.10g},{},{},{},{},{},{},{:.6g},{:.6g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},"
                  "{:.12g},{:.12g},{:.12g},{:.12g},{:.6g},{:.6g}\n",
                  time, step, grains, s.contacts, s.pairs, s.queries, s.rebuilds, s.deepest_overlap, s.max_speed,
                  l.kinetic, l.gravity, l.elastic, l.normal_damping, l.friction, l.rotational_damping, l.wall_work,
                  l.gravity_work, l.inserted, l.initial, l.moved, l.residual(), l.relative_residual()));
}

}  // namespace scree
