#include "scree/view/frame_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/record/view.hpp"

namespace scree {

namespace {

constexpr double full = 32767;
constexpr std::size_t contact_bytes = 2 * sizeof(std::uint32_t) + 2 * sizeof(float) + 6 * sizeof(std::int16_t);

double finite_or_0(double value) { return std::isfinite(value) ? value : 0; }
Vec2d finite_or_0(Vec2d v) { return {finite_or_0(v.x), finite_or_0(v.y)}; }
float single(double value) { return static_cast<float>(finite_or_0(value)); }

std::int16_t share(double value, double top) {
  return top > 0 ? static_cast<std::int16_t>(std::lround(full * std::clamp(finite_or_0(value) / top, -1.0, 1.0))) : 0;
}

// In [-1, 1] for [-pi, pi].
std::int16_t angle_share(double theta) {
  return share(std::remainder(finite_or_0(theta), 2 * std::numbers::pi), std::numbers::pi);
}

class Encoder {
 public:
  Encoder(const Statics& statics, const Frame& frame, Vec2d origin) : s_(statics), f_(frame), origin_(origin) {
    sort_by_type();
    sum_contacts();
    for (std::size_t i = 0; i < f_.id.size(); ++i) {
      top_speed_ = std::max(top_speed_, norm(finite_or_0(f_.v[i])));
      top_spin_ = std::max(top_spin_, std::abs(finite_or_0(f_.omega[i])));
      top_force_ = std::max(top_force_, force_[i]);
    }
    for (const FrameContact& c : f_.contacts)
      top_contact_ =
          std::max({top_contact_, std::abs(finite_or_0(c.normal_force)), std::abs(finite_or_0(c.tangential_force))});
    for (const GrainType& t : s_.types) arm_ = std::max(arm_, t.radius);
  }

  Bytes run() {
    const FrameHeader header = make_header();
    out_.resize(sizeof(header) + 4 * count_.size() + 16 * f_.wall_pose.size() + 24 * f_.id.size() +
                contact_bytes * f_.contacts.size());
    put(&header, sizeof(header));
    put(count_.data(), count_.size() * sizeof(std::uint32_t));
    put_walls();
    put_grains();
    put_contacts();
    return std::move(out_);
  }

 private:
  // Counting sort: order_[place] = index in the frame.
  void sort_by_type() {
    count_.assign(s_.types.size(), 0);
    for (const std::uint16_t type : f_.type) ++count_.at(type);
    std::vector<std::uint32_t> next(count_.size(), 0);
    for (std::size_t t = 1; t < count_.size(); ++t) next[t] = next[t - 1] + count_[t - 1];
    order_.resize(f_.id.size());
    place_.resize(f_.id.size());
    for (std::size_t i = 0; i < f_.id.size(); ++i) {
      place_[i] = next[f_.type[i]]++;
      order_[place_[i]] = i;
    }
  }

  // Ids count from 0 and are mostly those of the places.
  std::size_t find(std::uint32_t id) const { return id < f_.id.size() && f_.id[id] == id ? id : find_grain(f_, id); }

  std::size_t found(std::uint32_t id) const {
    const std::size_t i = find(id);
    if (i < f_.id.size()) return i;
    throw Error(ErrorKind::input, cat("frame at t = ", f_.time),
                cat("a contact names grain ", id, ", which is not there"),
                "the file is damaged; run the scene again to write a new one");
  }

  // Forces and partners of each grain. Contacts of one pair stand next to each other.
  void sum_contacts() {
    force_.assign(f_.id.size(), 0);
    partners_.assign(f_.id.size(), 0);
    const FrameContact* last = nullptr;
    for (const FrameContact& c : f_.contacts) {
      const bool again = last && last->a == c.a && last->b == c.b && last->wall == c.wall;
      for (const std::uint32_t id : {c.a, c.b}) {
        const std::size_t i = find(id);
        if (i == f_.id.size()) continue;
        force_[i] += finite_or_0(c.normal_force);
        partners_[i] += again ? 0 : 1;
      }
      last = &c;
    }
  }

  FrameHeader make_header() const {
    FrameHeader h;
    h.time = f_.time;
    h.step = static_cast<double>(f_.step);
    h.origin_x = origin_.x, h.origin_y = origin_.y;
    h.types = static_cast<std::uint32_t>(s_.types.size());
    h.walls = static_cast<std::uint32_t>(f_.wall_pose.size());
    h.grains = static_cast<std::uint32_t>(f_.id.size());
    h.contacts = h.all_contacts = static_cast<std::uint32_t>(f_.contacts.size());
    h.gravity_x = single(f_.gravity.x), h.gravity_y = single(f_.gravity.y);
    h.top_speed = single(top_speed_), h.top_spin = single(top_spin_), h.top_force = single(top_force_);
    h.top_contact = single(top_contact_), h.arm = single(arm_);
    return h;
  }

  void put(const void* data, std::size_t size) {
    if (size > 0) std::memcpy(out_.data() + used_, data, size);
    used_ += size;
  }
  void put(Vec2d x) {
    const float xy[2] = {single(x.x - origin_.x), single(x.y - origin_.y)};
    put(xy, sizeof(xy));
  }

  void put_walls() {
    for (std::size_t w = 0; w < f_.wall_pose.size(); ++w) {
      put(f_.wall_pose[w].x);
      const float rest[2] = {single(f_.wall_pose[w].theta), f_.wall_active[w] ? 1.0f : 0.0f};
      put(rest, sizeof(rest));
    }
  }

  // Partners in eight bits, kind in two, group in six.
  std::int16_t flags_of(std::size_t i) const {
    const unsigned partners = static_cast<unsigned>(std::min(partners_[i], 255)),
                   kind = static_cast<unsigned>(f_.kind[i]);
    const unsigned group = std::min<unsigned>(f_.group[i], 63);
    return static_cast<std::int16_t>(partners | kind << 8 | group << 10);
  }

  void put_grains() {
    for (const std::size_t i : order_) put(f_.x[i]);
    for (const std::size_t i : order_) {
      const std::int16_t state[6] = {angle_share(f_.theta[i]),     share(f_.v[i].x, top_speed_),
                                     share(f_.v[i].y, top_speed_), share(f_.omega[i], top_spin_),
                                     share(force_[i], top_force_), flags_of(i)};
      put(state, sizeof(state));
    }
    for (const std::size_t i : order_) put(&f_.id[i], sizeof(std::uint32_t));
  }

  void put_contacts() {
    struct Drawn {
      Vec2d point, arm_a, arm_b;
    };
    std::vector<Drawn> drawn;
    drawn.reserve(f_.contacts.size());
    for (const FrameContact& c : f_.contacts) {
      const std::size_t a = c.a == no_body ? f_.id.size() : found(c.a), b = found(c.b);
      const std::uint32_t ends[2] = {
          c.a == no_body ? wall_end + static_cast<std::uint32_t>(std::max(c.wall, 0)) : place_[a], place_[b]};
      put(ends, sizeof(ends));
      // As pictures draw it: a force that acts outside of both grains is led through them.
      Vec2d point = finite_or_0(c.point), centre[2]{};
      for (const std::size_t i : {a, b}) {
        if (i == f_.id.size()) continue;
        Vec2d& own = centre[i == b ? 1 : 0];
        own = nearest_image(s_.periodic, finite_or_0(f_.x[i]), point);
        point = nearest_in_circle(point, own, s_.types[f_.type[i]].radius);
      }
      drawn.push_back({point, a == f_.id.size() ? Vec2d{} : centre[0] - point, centre[1] - point});
    }
    for (const Drawn& d : drawn) put(d.point);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const Drawn& d = drawn[k];
      const FrameContact& c = f_.contacts[k];
      const std::int16_t reach[6] = {share(d.arm_a.x, arm_),
                                     share(d.arm_a.y, arm_),
                                     share(d.arm_b.x, arm_),
                                     share(d.arm_b.y, arm_),
                                     share(c.normal_force, top_contact_),
                                     share(c.tangential_force, top_contact_)};
      put(reach, sizeof(reach));
    }
  }

  const Statics& s_;
  const Frame& f_;
  Vec2d origin_;
  std::vector<std::uint32_t> count_, place_;
  std::vector<std::size_t> order_;
  std::vector<double> force_;
  std::vector<int> partners_;
  double top_speed_ = 0, top_spin_ = 0, top_force_ = 0, top_contact_ = 0, arm_ = 0;
  Bytes out_;
  std::size_t used_ = 0;  // of out_
};

}  // namespace

Bytes encode_frame(const Statics& statics, const Frame& frame, Vec2d origin) {
  return Encoder(statics, frame, origin).run();
}

FrameHeader header_of(const Bytes& frame) {
  FrameHeader header;
  std::memcpy(&header, frame.data(), sizeof(header));
  return header;
}

void set_revision(Bytes& frame, std::uint32_t revision) {
  FrameHeader header = header_of(frame);
  header.revision = revision;
  std::memcpy(frame.data(), &header, sizeof(header));
}

std::shared_ptr<const Bytes> answer(const Bytes& frame, std::uint32_t request, std::uint32_t index, bool contacts) {
  FrameHeader header = header_of(frame);
  header.request = request;
  header.index = index;
  const std::size_t left_out = contacts ? 0 : contact_bytes * header.contacts;
  if (!contacts) header.contacts = 0;
  auto out = std::make_shared<Bytes>(frame.begin(), frame.end() - static_cast<std::ptrdiff_t>(left_out));
  std::memcpy(out->data(), &header, sizeof(header));
  return out;
}

}  // namespace scree
