// Writes a report into its folder: first records, pictures and the classifier's inputs, one tensor after
// another, and finally the tables and the page. publish() makes the report visible; until then the folder
// keeps its earlier report (ReportFolder.h).
#pragma once

#include "isa/Assembly/Listing.h"
#include "verify/Evidence/Channels.h"
#include "verify/Records/RecordFile.h"
#include "verify/Tools/ReportFolder.h"

#include <map>

namespace tilerig::verify {

class Report {
public:
  static Result<Report> create(const std::string &folder);
  Status add(const Json &record) { return records.add(record); }
  // Writes the evidence files of a tensor (pictures and the classifier's input) and adds their names to its
  // record.
  Status addEvidence(const TensorStream &reference, const TensorStream &target,
                     const Circumstances &circumstances, const Comparison &comparison, Json &record);
  // Writes what belongs to a finding (findingRecord()) in a program, and adds the names of these files to the record: its
  // diagram (`picture`), and the assembly text of the tiles that it names (`listing`, and the `line` in it).
  Status addFinding(const Program &program, Json &record);
  // Writes only the picture of a comparison, and returns the name of its file.
  Result<std::string> addPicture(const Comparison &comparison);
  // Adds to a tensor's record the tiles that hold it (`held_by`): of each its number, how many elements it holds, and how many
  // of them differ.
  static Status addTileCounts(const TensorStream &reference, const TensorStream &target,
                              const Comparison &comparison, const std::vector<TilePart> &parts, Json &record);
  // Adds the error map of a tensor to the record of a comparison, if any element differs.
  static Status addErrorMap(const TensorStream &reference, const TensorStream &target,
                            const Comparison &comparison, Json &figures);
  // Writes the tables and the page of the report and makes the report visible. `all` are all records that
  // were added, the summary last; `subject` is the model, or the target of a comparison.
  Status publish(const std::vector<Json> &all, const std::string &subject);

private:
  Report(ReportFolder folder, RecordFile records) : folder(std::move(folder)), records(std::move(records)) {}

  Result<Json> addListing(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction);

  ReportFolder folder;
  RecordFile records;
  size_t numEvidence = 0;
  std::map<std::string, Listing> listings; // by the name of the file
};

} // namespace tilerig::verify
