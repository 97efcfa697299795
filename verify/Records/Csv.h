// Quotes cells of CSV files.
#pragma once

#include <string>

namespace tilerig::verify {

// Quotes the text if it contains a comma, quote or line break.
inline std::string inCsv(const std::string &cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos)
    return cell;
  std::string quoted = "\"";
  for (char letter : cell)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

} // namespace tilerig::verify
