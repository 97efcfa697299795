// A report in its folder: records and evidence as they come, and at the end what is made of the records. Only
// publish() shows it; until then the folder keeps the report that it has (ReportFolder.h).
#pragma once

#include "verify/Evidence/Channels.h"
#include "verify/Records/RecordFile.h"
#include "verify/Tools/ReportFolder.h"

namespace tilerig::verify {

class Report {
public:
  static Result<Report> create(const std::string &folder);
  Status add(const Json &record) { return records.add(record); }
  // Writes the evidence of a tensor, and into its record where it is.
  Status addEvidence(const TensorStream &reference, const TensorStream &target,
                     const Circumstances &circumstances, const Comparison &comparison, Json &record);
  // Writes a picture alone.
  Result<std::string> addPicture(const Comparison &comparison);
  // Adds to a record of figures where the tensor is wrong, if it is anywhere.
  static Status addErrorMap(const TensorStream &reference, const TensorStream &target,
                            const Comparison &comparison, Json &figures);
  // `all`: what was added, the summary last.
  Status publish(const std::vector<Json> &all);

private:
  Report(ReportFolder folder, RecordFile records) : folder(std::move(folder)), records(std::move(records)) {}

  ReportFolder folder;
  RecordFile records;
  size_t numEvidence = 0;
};

} // namespace tilerig::verify
