#include "verify/Tools/Report.h"

#include "isa/Base/Support/File.h"
#include "verify/Evidence/ErrorMap.h"
#include "verify/Evidence/Picture.h"
#include "verify/Evidence/TileCounts.h"
#include "verify/Metrics/Walk.h"
#include "verify/Page/Page.h"
#include "verify/Records/Figures.h"
#include "verify/Records/Render.h"
#include "verify/Records/Sarif.h"

#include <fmt/core.h>

namespace tilerig::verify {

Result<Report> Report::create(const std::string &folder) {
  TILERIG_TRY(ReportFolder opened, ReportFolder::open(folder));
  TILERIG_TRY(RecordFile records, RecordFile::create(opened.fileFor("records.jsonl")));
  return Report(std::move(opened), std::move(records));
}

// Writes the assembly text of a tile, once, and returns where an instruction is in it.
Result<Json> Report::addListing(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction) {
  const std::string file = fmt::format("evidence/stage-{}-tile-{}.trasm", stage, tile);
  auto listing = listings.find(file);
  if (listing == listings.end()) {
    listing = listings.emplace(file, listTile(program, stage, tile)).first;
    TILERIG_CHECK_OK(writeText(folder.fileFor(file), listing->second.text));
  }
  return Json{{"listing", file}, {"line", listing->second.lines[instruction]}};
}

Status Report::addFinding(const Program &program, Json &record) {
  for (Json &place : record["places"])
    if (place.contains("instruction")) {
      TILERIG_TRY(const Json line,
                  addListing(program, place["stage_index"], place["tile"], place["instruction"]));
      place.update(line);
    }
  if (record.contains("missing_order"))
    for (Json &added : record["missing_order"]["added"]) {
      TILERIG_TRY(const Json line, addListing(program, added["stage_index"], added["tile"], added["before"]));
      added.update(line);
    }
  if (record.contains("diagram")) {
    record["picture"] = fmt::format("evidence/{:04}.svg", numEvidence++);
    TILERIG_CHECK_OK(writeText(folder.fileFor(record["picture"]), record["diagram"].get<std::string>()));
  }
  return success();
}

// The names of evidence files are numbers, because names of tensors may not be valid file names.
Status Report::addEvidence(const TensorStream &reference, const TensorStream &target,
                           const Circumstances &circumstances, const Comparison &comparison, Json &record) {
  const std::string stem = fmt::format("evidence/{:04}", numEvidence);
  TILERIG_TRY(record["picture"], addPicture(comparison));
  TILERIG_TRY(FloatEvidence evidence, makeEvidence(reference, target, comparison, circumstances));
  const TensorMap file = evidenceFile(std::move(evidence), comparison);
  TILERIG_CHECK_OK(writeNpz(folder.fileFor(stem + ".npz"), file, {.deflate = true}));
  record["evidence"] = stem + ".npz";
  if (circumstances.parts)
    TILERIG_CHECK_OK(addTileCounts(reference, target, comparison, *circumstances.parts, record));
  return addErrorMap(reference, target, comparison, record);
}

Status Report::addTileCounts(const TensorStream &reference, const TensorStream &target,
                             const Comparison &comparison, const std::vector<TilePart> &parts, Json &record) {
  TILERIG_TRY(const auto tiles, countByTile(reference, target, comparison, parts));
  record["held_by"] = Json::array();
  for (const auto &[tile, count] : tiles)
    record["held_by"].push_back({tile, count.elements, count.different});
  return success();
}

Result<std::string> Report::addPicture(const Comparison &comparison) {
  std::string file = fmt::format("evidence/{:04}.png", numEvidence++);
  TILERIG_TRY(const std::vector<std::byte> png, encodePng(drawPicture(comparison)));
  TILERIG_CHECK_OK(writeText(folder.fileFor(file), {reinterpret_cast<const char *>(png.data()), png.size()}));
  return file;
}

Status Report::addErrorMap(const TensorStream &reference, const TensorStream &target,
                           const Comparison &comparison, Json &figures) {
  if (comparison.different == 0)
    return success();
  TILERIG_TRY(const ErrorMap map, makeErrorMap(reference, target, comparison));
  figures["error_map"] = {{"height", map.height},
                          {"width", map.width},
                          {"rows", map.rows},
                          {"columns", map.columns},
                          {"levels", asLetters(map.levels)}};
  Json means = Json::array();
  for (double mean : map.meanError)
    means.push_back(shortNumber(mean));
  figures["channel_profile"] = {{"channels", map.channels},
                                {"levels", asLetters(map.barLevels)},
                                {"failed", map.failed},
                                {"mean_error", std::move(means)}};
  return success();
}

Status Report::publish(const std::vector<Json> &all, const std::string &subject) {
  TILERIG_CHECK_OK(records.close());
  TILERIG_CHECK_OK(writeText(folder.fileFor("report.html"), asPage(all)));
  TILERIG_CHECK_OK(writeText(folder.fileFor("report.csv"), asCsv(all)));
  TILERIG_CHECK_OK(writeText(folder.fileFor("junit.xml"), asJUnit(all)));
  TILERIG_CHECK_OK(writeText(folder.fileFor("report.sarif"), asSarif(all, folder.name(), subject)));
  return folder.publish();
}

} // namespace tilerig::verify
