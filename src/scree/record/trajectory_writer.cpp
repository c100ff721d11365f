#include <algorithm>
#include <limits>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/record/trajectory.hpp"
#include "scree/record/trajectory_layout.hpp"

namespace scree {

namespace {

// Frames a chunk of the per-frame datasets; small, because an unfinished chunk is rewritten in place at every frame.
constexpr hsize_t frame_chunk = 64;

// Rows a chunk of the datasets of grains and contacts. One chunk a frame where the number of grains is constant: then
// no chunk of grains is ever rewritten. A compressed chunk that is rewritten changes its size, moves and leaves a hole,
// so that chunks of many small frames are better left uncompressed.
constexpr hsize_t fewest_rows = 64;
constexpr hsize_t rows_while_growing = 256;
constexpr hsize_t most_rows = 65536;

hsize_t row_chunk(const World& world) {
  const bool growing = std::ranges::any_of(world.insertions, [](const Insertion& in) { return !in.finished; });
  return std::clamp<hsize_t>(world.bodies.size(), growing ? rows_while_growing : fewest_rows, most_rows);
}

// Velocities and forces are kept in single precision: nobody restarts from a trajectory, and it halves the file.
std::vector<float> singles(const std::vector<Vec2d>& values) {
  std::vector<float> out;
  out.reserve(2 * values.size());
  for (Vec2d v : values) out.push_back(static_cast<float>(v.x)), out.push_back(static_cast<float>(v.y));
  return out;
}

std::vector<float> singles(const std::vector<double>& values) {
  std::vector<float> out;
  out.reserve(values.size());
  for (double v : values) out.push_back(static_cast<float>(v));
  return out;
}

template <class Get>
auto column(const std::vector<FrameContact>& contacts, Get get) {
  std::vector<decltype(get(contacts[0]))> out;
  out.reserve(contacts.size());
  for (const FrameContact& c : contacts) out.push_back(get(c));
  return out;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& things) {
  std::vector<std::string> names;
  for (const Named& thing : things) names.push_back(thing.name);
  return names;
}

// Datasets of one measure: a column each for the values and for the rows of the table, and where the rows of each
// sample end.
class MeasureColumns {
 public:
  MeasureColumns(hid_t measures, const RecordedMeasure& m, const std::filesystem::path& file) {
    const h5::Handle group = h5::create_group(measures, m.name, file);
    h5::write_attribute(group, "kind", m.kind, file);
    h5::write_attribute(group, "columns", join(names_of(m.columns), "\n"), file);
    for (const MeasureColumn& c : m.columns) values_.push_back(column(group, c, frame_chunk, file));
    time_.emplace(group, "time", H5T_NATIVE_DOUBLE, 1, frame_chunk, false, file);
    if (m.table.empty()) return;
    end_.emplace(group, "table_end", H5T_NATIVE_UINT64, 1, frame_chunk, false, file);
    const h5::Handle table = h5::create_group(group, "table", file);
    h5::write_attribute(table, "columns", join(names_of(m.table), "\n"), file);
    for (const MeasureColumn& c : m.table) rows_.push_back(column(table, c, table_chunk, file));
  }

  // As with frames: the time, which makes a sample count, comes last.
  void append(double time, const Reading& reading) {
    for (std::size_t k = 0; k < rows_.size(); ++k) append(rows_[k], reading.rows, k);
    row_count_ += reading.rows.size();
    for (std::size_t k = 0; k < values_.size(); ++k) append(values_[k], {reading.values}, k);
    if (end_) end_->append(&row_count_, 1), end_->flush();
    time_->append(&time, 1), time_->flush();
  }

 private:
  static constexpr hsize_t table_chunk = 1024;

  static h5::Column column(hid_t group, const MeasureColumn& c, hsize_t chunk, const std::filesystem::path& file) {
    h5::Column out(group, c.name, H5T_NATIVE_DOUBLE, 1, chunk, chunk == table_chunk, file);
    const h5::Handle dataset(H5Dopen2(group, c.name.c_str(), H5P_DEFAULT), H5Dclose);
    h5::write_attribute(dataset, "unit", c.unit, file);
    return out;
  }
  static void append(h5::Column& column, const std::vector<Reading::Cells>& rows, std::size_t k) {
    std::vector<double> cells;
    for (const Reading::Cells& row : rows)
      cells.push_back(row[k].value_or(std::numeric_limits<double>::quiet_NaN()));  // not defined
    column.append(cells.data(), cells.size());
    column.flush();
  }

  std::optional<h5::Column> time_, end_;
  std::vector<h5::Column> values_, rows_;
  std::uint64_t row_count_ = 0;
};

}  // namespace

RecordedMeasure recorded_measure(const MeasureSettings& settings, const Measure& measure) {
  return {settings.name, settings.kind, measure.columns, measure.table};
}

struct TrajectoryWriter::Impl {
  std::filesystem::path path;
  h5::Handle file, frames_group, grains_group, contacts_group;
  hsize_t walls = 0;
  std::size_t count = 0;
  bool writing = false;  // still so at the end: a write failed
  std::uint64_t grain_end = 0, contact_end = 0;
  std::vector<h5::Column> per_frame, per_grain, per_contact;
  std::vector<MeasureColumns> per_measure;

  // Walls come last among the per-frame columns, and only when there are any.
  void add_columns(const World& world, std::size_t ledger_width) {
    const hsize_t chunk = row_chunk(world);
    const auto add = [&](std::vector<h5::Column>& to, hid_t group, const char* name, hid_t type, hsize_t width,
                         hsize_t rows) {
      to.emplace_back(group, name, type, width, rows, &to != &per_frame && chunk > fewest_rows, path);
    };
    const hid_t f = frames_group, g = grains_group, c = contacts_group;
    add(per_frame, f, "time", H5T_NATIVE_DOUBLE, 1, frame_chunk);
    add(per_frame, f, "step", H5T_NATIVE_UINT64, 1, frame_chunk);
    add(per_frame, f, "gravity", H5T_NATIVE_DOUBLE, 2, frame_chunk);
    add(per_frame, f, "ledger", H5T_NATIVE_DOUBLE, ledger_width, frame_chunk);
    add(per_frame, f, "grain_end", H5T_NATIVE_UINT64, 1, frame_chunk);
    add(per_frame, f, "contact_end", H5T_NATIVE_UINT64, 1, frame_chunk);
    if (walls > 0) add(per_frame, f, "wall_pose", H5T_NATIVE_DOUBLE, 3 * walls, frame_chunk);
    if (walls > 0) add(per_frame, f, "wall_active", H5T_NATIVE_UINT8, walls, frame_chunk);
    add(per_grain, g, "id", H5T_NATIVE_UINT32, 1, chunk);
    add(per_grain, g, "type", H5T_NATIVE_UINT16, 1, chunk);
    add(per_grain, g, "group", H5T_NATIVE_UINT16, 1, chunk);
    add(per_grain, g, "kind", H5T_NATIVE_UINT8, 1, chunk);
    add(per_grain, g, "x", H5T_NATIVE_DOUBLE, 2, chunk);
    add(per_grain, g, "theta", H5T_NATIVE_DOUBLE, 1, chunk);
    add(per_grain, g, "v", H5T_NATIVE_FLOAT, 2, chunk);
    add(per_grain, g, "omega", H5T_NATIVE_FLOAT, 1, chunk);
    add(per_contact, c, "a", H5T_NATIVE_UINT32, 1, chunk);
    add(per_contact, c, "b", H5T_NATIVE_UINT32, 1, chunk);
    add(per_contact, c, "wall", H5T_NATIVE_INT32, 1, chunk);
    add(per_contact, c, "point", H5T_NATIVE_FLOAT, 2, chunk);
    add(per_contact, c, "normal", H5T_NATIVE_FLOAT, 2, chunk);
    add(per_contact, c, "normal_force", H5T_NATIVE_FLOAT, 1, chunk);
    add(per_contact, c, "tangential_force", H5T_NATIVE_FLOAT, 1, chunk);
  }

  void append_grains(const Frame& f) {
    const hsize_t n = f.id.size();
    std::size_t k = 0;
    const auto put = [&](const void* data) { per_grain[k++].append(data, n); };
    put(f.id.data()), put(f.type.data()), put(f.group.data()), put(f.kind.data()), put(f.x.data());
    put(f.theta.data()), put(singles(f.v).data()), put(singles(f.omega).data());
    grain_end += n;
  }

  void append_contacts(const std::vector<FrameContact>& contacts) {
    const hsize_t n = contacts.size();
    std::size_t k = 0;
    const auto put = [&](const auto& values) { per_contact[k++].append(values.data(), n); };
    put(column(contacts, [](const FrameContact& c) { return c.a; }));
    put(column(contacts, [](const FrameContact& c) { return c.b; }));
    put(column(contacts, [](const FrameContact& c) { return c.wall; }));
    put(singles(column(contacts, [](const FrameContact& c) { return c.point; })));
    put(singles(column(contacts, [](const FrameContact& c) { return c.normal; })));
    put(singles(column(contacts, [](const FrameContact& c) { return c.normal_force; })));
    put(singles(column(contacts, [](const FrameContact& c) { return c.tangential_force; })));
    contact_end += n;
  }

  void append_frame(const Frame& f) {
    std::size_t k = 0;
    const auto put = [&](const void* data) { per_frame[k++].append(data, 1); };
    put(&f.time), put(&f.step), put(&f.gravity), put(visited(RowOut{}, f.ledger).row.data());
    put(&grain_end), put(&contact_end);
    if (walls > 0) put(f.wall_pose.data()), put(f.wall_active.data());
  }
};

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& file, const World& world, const std::string& run_json,
                                   const std::vector<RecordedMeasure>& measures)
    : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.path = file;
  m.file = h5::create_file(file, "scree-trajectory");
  h5::write_text(m.file, "run_json", run_json, m.path);
  Statics statics = statics_of(world);
  {
    const h5::Handle group = h5::create_group(m.file, "statics", m.path);
    h5::Writer writer(group, m.path);
    static_fields(writer, statics);
  }
  m.walls = world.walls.size();
  m.frames_group = h5::create_group(m.file, "frames", m.path);
  m.grains_group = h5::create_group(m.file, "grains", m.path);
  m.contacts_group = h5::create_group(m.file, "contacts", m.path);
  const auto names = visited(RowNames{}, {}).names;
  h5::write_attribute(m.frames_group, "ledger_columns", join(names), m.path);
  m.add_columns(world, names.size());
  h5::Handle measures_group = h5::create_group(m.file, "measures", m.path);
  h5::write_attribute(measures_group, "names", join(names_of(measures), "\n"), m.path);
  for (const RecordedMeasure& measure : measures) m.per_measure.emplace_back(measures_group, measure, m.path);
  // SWMR wants no open object but datasets.
  m.frames_group.close(), m.grains_group.close(), m.contacts_group.close(), measures_group.close();
  if (H5Fflush(m.file, H5F_SCOPE_LOCAL) < 0 || H5Fstart_swmr_write(m.file) < 0) h5::fail_write(file, "the header");
}

// Closed after a failed write, the file would claim to be whole and longer than it is. Left alone, as by a kill, it has
// every frame that was flushed.
TrajectoryWriter::~TrajectoryWriter() {
  if (impl_ && impl_->writing) static_cast<void>(impl_.release());
}
TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;

void TrajectoryWriter::write(const World& world) { write(frame_of(world)); }

void TrajectoryWriter::write(const Frame& frame) {
  Impl& m = *impl_;
  if (frame.wall_active.size() != m.walls)
    throw Error(ErrorKind::input, m.path.string(), "the number of walls changed during the run",
                "switch walls on and off with events instead");
  m.writing = true;
  m.append_grains(frame);
  m.append_contacts(frame.contacts);
  // Data first, the frame's index last: a reader never sees a frame whose grains are not there.
  for (auto* columns : {&m.per_grain, &m.per_contact})
    for (h5::Column& c : *columns) c.flush();
  m.append_frame(frame);
  for (h5::Column& c : m.per_frame) c.flush();
  ++m.count;
  m.writing = false;
}

void TrajectoryWriter::write_measure(std::size_t index, double time, const Reading& reading) {
  impl_->writing = true;
  impl_->per_measure.at(index).append(time, reading);
  impl_->writing = false;
}

std::size_t TrajectoryWriter::frames() const { return impl_->count; }

void TrajectoryWriter::rename(const std::filesystem::path& file) {
  std::error_code failed;
  std::filesystem::rename(impl_->path, file, failed);
  if (failed)
    throw Error(ErrorKind::system, file.string(), "cannot be written: " + failed.message(),
                "check that the folder may be written, or choose another with -o");
  impl_->path = file;
}

}  // namespace scree
