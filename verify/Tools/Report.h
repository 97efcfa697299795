// The folder of a report: records as they come, and at the end what is made from them.
#pragma once

#include "verify/Evidence/Channels.h"
#include "verify/Records/RecordFile.h"

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
  Status render(const std::vector<Json> &all) const;

private:
  Report(std::string folder, RecordFile records) : folder(std::move(folder)), records(std::move(records)) {}

  std::string folder;
  RecordFile records;
  size_t numEvidence = 0;
};

} // namespace tilerig::verify
