// A file of records, one JSON document per line. If the process is killed, only the last line may be
// incomplete.
#pragma once

#include "isa/Base/Support/Error.h"
#include "verify/Records/Record.h"

#include <cstdio>
#include <memory>

namespace tilerig::verify {

class RecordFile {
public:
  static Result<RecordFile> create(const std::string &path);
  Status add(const Json &record);
  // Writes records that are still buffered. Must be called after the last record.
  Status close();

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::string path;
  std::unique_ptr<std::FILE, Close> file;
};

// Reads the records of a run, which may have been interrupted. Refuses lines that are no records of a known
// version.
Result<std::vector<Json>> readRecords(const std::string &path);

} // namespace tilerig::verify
