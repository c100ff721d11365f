#pragma once
// ImplicitEngine: the stages of a large step in their order, and many steps.
#include "scree/cuda/implicit_engine.hpp"

namespace scree::gpu {

// Colours with a launch of their own; the others are few links and share one. In a small world all of them do. Of 1,000
// '#' at rest the seven colours have 444, 413, 357, 203, 54, 8 and 1 links. Results do not depend on this.
inline constexpr std::uint32_t large_colours = 8;
inline constexpr std::size_t small_world = 2000;  // bodies

template <class Backend>
template <Sweep kind>
void ImplicitEngine<Backend>::sweep() {
  const SweepView s{control_.data(), frame_.data(), swept_.data(), bodies_.data()};
  const std::uint32_t alone = n_ <= small_world ? 0 : large_colours;
  for (std::uint32_t c = 0; c < alone; ++c) backend_.launch(SweepColour<kind>{s, c}, n_ / 2 + 1);
  backend_.launch_in_turn(SweepRest<kind>{s, alone});
}

template <class Backend>
void ImplicitEngine<Backend>::build_list() {
  const std::size_t n = n_, walls = walls_.count();
  backend_.reduce(LayOutWideCells{view_, build_, links_});
  backend_.launch(FindKeys<float>{view_, build_}, n);
  backend_.sort(build_.key, build_.order, n);
  backend_.launch(ClearCells<float>{build_}, build_.cell_capacity + 1);
  backend_.launch(FindCells<float>{view_, build_}, n);
  backend_.launch(CountHigher{view_, build_, links_}, n + 1);
  backend_.sum_before(count_.data(), n + 1);
  if (walls > 0) {
    backend_.launch(PlaceElements<float>{view_}, walls);
    backend_.launch(CountWalls{view_, build_, links_}, n + 1);
    backend_.sum_before(walls_.near_count(), n + 1);
    backend_.sum_before(walls_.near_some(), n + 1);
  }
  backend_.launch(CheckPairs{view_, build_, links_}, 1);
  backend_.launch(FillHigher{view_, build_, links_}, n);
  backend_.launch(FinishPairs{view_, build_, links_}, n + 1);
}

template <class Backend>
void ImplicitEngine<Backend>::colour_links() {
  backend_.launch(StartColours{{view_, links_}}, link_capacity_);
  backend_.repeat(&links_.frame->left, [&] {
    backend_.launch(Bid{{view_, links_}}, link_capacity_);
    backend_.launch(Choose{{view_, links_}}, link_capacity_);
    backend_.launch(EndRound{view_, links_}, 1);
  });
  backend_.launch(OrderColours{view_, links_}, 1);
  backend_.launch(PlaceLinks{{view_, links_}}, link_capacity_);
  backend_.launch(OrderCrowd{view_, links_}, 1);
}

template <class Backend>
void ImplicitEngine<Backend>::look() {
  const std::size_t n = n_;
  backend_.reduce(Observe{view_, links_});
  backend_.when(&links_.frame->rebuild, [&] { build_list(); });
  backend_.launch(StartRooms{view_, links_}, n);
  backend_.launch(ComeUpon{view_, links_}, pair_capacity_);
  if (walls_.count() > 0) backend_.launch(ComeUponWalls{view_, links_}, walls_.near_capacity());
  backend_.launch(FindRooms{view_, links_}, n);
  backend_.launch_open(FlagPairs{view_, links_}, pair_capacity_);
  backend_.launch(CountLinks{view_, links_}, n + 1);
  backend_.sum_before(count_.data(), n + 1);
  backend_.launch(TurnSides{view_, links_}, 1);
  backend_.launch(NumberLinks{view_, links_}, n + 1);
  colour_links();
  backend_.launch(FillLinks{view_, links_}, link_capacity_);
}

template <class Backend>
void ImplicitEngine<Backend>::find_meeting() {
  backend_.reduce(PrepareMeeting{view_, links_});
  backend_.when(&links_.frame->rebuild, [&] { build_list(); });
  backend_.launch(MeetPairs{view_, links_}, pair_capacity_);
  backend_.launch(MeetWalls{view_, links_}, n_);
}

template <class Backend>
void ImplicitEngine<Backend>::rebound() {
  backend_.launch(KeepVelocities{view_, links_}, n_);
  sweep<Sweep::rebound>();
  if (motions_) backend_.reduce(ReboundWork{view_, links_});
  backend_.reduce(FindShare{view_, links_});
  backend_.launch(BlendVelocities{view_, links_}, n_);
}

template <class Backend>
void ImplicitEngine<Backend>::find_gain() {
  if (motions_) backend_.reduce(DrivenWork{view_, links_});
  backend_.reduce(FindGain{view_, links_});
}

template <class Backend>
void ImplicitEngine<Backend>::substep() {
  backend_.when(&links_.frame->lost, [&] {
    backend_.when(&links_.frame->part, [&] { rebound(); });
    backend_.launch(WriteHeld{view_, links_, false}, link_capacity_);
    look();
  });
  backend_.launch_open(RenewPairs{view_, links_}, link_capacity_);
  if (walls_.count() > 0) backend_.launch(RenewWalls{view_, links_}, walls_.near_capacity());
  const std::size_t bodies_and_links = std::max(n_, link_capacity_);
  backend_.when(&links_.frame->watched, [&] { backend_.launch(KeepOutset{view_, links_}, bodies_and_links); });
  backend_.launch(Kick{view_, links_}, n_);
  backend_.reduce(KineticBefore{view_, links_});
  sweep<Sweep::warm>();
  sweep<Sweep::soft>();
  backend_.when(&links_.frame->watched, [&] {
    backend_.reduce(FindHaste{view_, links_});
    backend_.launch(TakeBack{view_, links_}, bodies_and_links);
  });
  backend_.when(&links_.frame->goes_on, [&] { move_on(); });
}

// From where overlap has been pushed out in velocities.
template <class Backend>
void ImplicitEngine<Backend>::move_on() {
  backend_.launch(Drift{view_, links_}, n_ + walls_.count());
  for (int k = 0; k < fewest_rigid_sweeps; ++k) sweep<Sweep::rigid>();
  find_gain();
  backend_.repeat(&links_.frame->gaining, [&] {
    sweep<Sweep::rigid>();
    find_gain();
  });
  if (settings_.ledger) backend_.reduce(FindRubbed{view_, links_});
  if (damps_spin_) {
    if (settings_.ledger) backend_.reduce(FindDamped{view_, links_, 1});
    sweep<Sweep::damp>();
    if (settings_.ledger) backend_.reduce(FindDamped{view_, links_, -1});
  }
  backend_.launch(FindAstray{view_, links_}, n_);
  if (turns_) backend_.reduce(TurningWork{view_, links_});
  backend_.launch(EndSubstep{view_, links_}, 1);
}

// Motion does not depend on whether the ledger is asked for.
template <class Backend>
void ImplicitEngine<Backend>::settle_up() {
  backend_.reduce(EnergyAfter{view_, links_});
  backend_.when(&links_.frame->owing, [&] {
    backend_.reduce(FindGains{view_, links_});
    backend_.launch(GiveBack{view_, links_}, n_);
    backend_.reduce(EnergyAfter{view_, links_});
  });
}

template <class Backend>
void ImplicitEngine<Backend>::frame() {
  backend_.launch(BeginFrame{view_, links_}, 1);
  backend_.launch(StartBodies{view_, links_}, n_ + walls_.count());
  backend_.launch(SaveHeld{view_, links_}, std::max(n_ + 1, link_capacity_));
  backend_.reduce(ChoosePace{view_, links_});
  backend_.reduce(EnergyBefore{view_, links_});
  backend_.when(&links_.frame->meet, [&] { find_meeting(); });
  backend_.repeat(&links_.frame->more, [&] { substep(); });
  backend_.when(&links_.frame->impacts, [&] { rebound(); });
  backend_.launch(EndBodies{view_, links_}, n_);
  settle_up();
  backend_.launch(Watch{view_, links_}, n_);
  backend_.reduce(FindHoldable{view_, links_});
  backend_.launch(Book{view_, links_}, 1);
  backend_.launch(WriteHeld{view_, links_, true}, link_capacity_);
  if (zones_.size() > 0) backend_.launch(TakeAway{view_}, n_);
  backend_.launch(EndFrame{view_, links_}, 1);
}

// More room, and the step begins anew.
template <class Backend>
void ImplicitEngine<Backend>::grow() {
  Control c = read(control_);
  Frame f = read(frame_);
  const auto ample = [](std::size_t n) { return n + n / 4; };
  reserve(ample(c.wanted.pairs), ample(f.wanted));
  walls_.reserve(ample(c.wanted.near), ample(c.wanted.entries));
  set_views();
  f.links = f.links_saved;
  c.halt = 0;
  c.stale = 1;
  frame_.upload({&f, 1});
  control_.upload({&c, 1});
  backend_.play(1, 1, [&] {
    backend_.launch(Restore{view_, links_, f.links}, std::max<std::size_t>(n_ + 1, f.links));
  });
  backend_.finish();
  backend_.forget_programs();
}

template <class Backend>
Outcome ImplicitEngine<Backend>::advance(const std::vector<StepInput>& inputs) {
  upload_inputs(inputs);
  Control c = read(control_);
  c.step = c.rebuilds = 0;
  c.work.brought = 0;
  c.steps = static_cast<std::uint32_t>(inputs.size() - 1);
  c.halt = c.steps == 0 ? halt_done : 0u;
  control_.upload({&c, 1});
  while (!c.halt) {
    backend_.play(0, c.steps - c.step, [&] { frame(); });
    c = read(control_);
    if (!(c.halt & halt_grow)) continue;
    grow();
    c.halt = 0;
  }
  const Frame f = read(frame_);
  Outcome out = outcome_of(c);
  out.substeps = static_cast<int>(f.taken);
  out.meeting_speed = met_speed(f);
  out.meeting_body = f.meeting > 0 ? ~static_cast<std::uint32_t>(f.meeting) : 0;
  return out;
}

}  // namespace scree::gpu
