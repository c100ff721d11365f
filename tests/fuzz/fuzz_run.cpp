// What `scree run --restart`, --force and `scree view` read of a run besides HDF5: run.json, or else a CSV file of it.
#include "input.hpp"
#include "run_json.hpp"
#include "scree/record/csv_file.hpp"
#include "scree/record/scene_look.hpp"
#include "scree/view/recorded_session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  const std::string text(fuzz::text_of(data, size));
  if (!text.starts_with('{')) {
    const std::filesystem::path file = fuzz::as_file("series.csv", text);
    fuzz::answered([&] { read_series_csv(file); });
    fuzz::answered([&] { CsvFile(file, text.substr(0, text.find('\n') + 1), 0.5); });
    return 0;
  }
  fuzz::as_file("run.json", text);
  fuzz::answered([&] { cli::recorded_files(fuzz::folder()); });
  fuzz::answered([&] { cli::recorded_end(text); });
  fuzz::answered([&] { look_of_scene(scene_text_of(text)); });
  fuzz::answered([&] {
    cli::RunOptions options;
    options.restart.emplace().record = text;
    cli::run_json(Scene{}, {}, options, "", {}, nullptr);
  });
  cli::record_failure(fuzz::folder(), "failure");
  return 0;
}
