#include "verify/Tools/Report.h"

#include "isa/Support/File.h"
#include "verify/Records/Render.h"

#include <filesystem>

namespace tilerig::verify {

Result<Report> Report::create(const std::string &folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return invalidInput(folder, "cannot make this folder: " + failed.message());
  TRY(RecordFile records, RecordFile::create(folder + "/records.jsonl"));
  return Report(folder, std::move(records));
}

Status Report::addEvidence(const Tensor &, const Tensor &, const Comparison &, Json &) { return success(); }

Status Report::render(const std::vector<Json> &all) const {
  CHECK_OK(writeText(folder + "/report.csv", asCsv(all)));
  return writeText(folder + "/junit.xml", asJUnit(all));
}

} // namespace tilerig::verify
