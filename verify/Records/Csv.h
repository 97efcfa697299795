// Cells of CSV.
#pragma once

#include <string>

namespace tilerig::verify {

// In quotes, where the text would be taken for more than one cell.
inline std::string inCsv(const std::string &cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos)
    return cell;
  std::string quoted = "\"";
  for (char letter : cell)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

} // namespace tilerig::verify
