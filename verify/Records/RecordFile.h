// A file of records, one a line, that is whole up to the last line whatever happens to the program.
#pragma once

#include "isa/Support/Error.h"
#include "verify/Records/Record.h"

#include <cstdio>
#include <memory>

namespace tilerig::verify {

class RecordFile {
public:
  static Result<RecordFile> create(const std::string &path);
  Status add(const Json &record);
  // After the last record.
  Status close();

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::string path;
  std::unique_ptr<std::FILE, Close> file;
};

// Of a run that went on to its end or not; refuses lines that are no records of a version we know.
Result<std::vector<Json>> readRecords(const std::string &path);

} // namespace tilerig::verify
