// Plain-text tables and number formats of commands.
//
// Columns are as wide as their widest cell and two spaces apart; numbers are right-aligned, words
// left-aligned. Text from a file cannot send control sequences to the terminal: characters that are not
// printable are shown as escapes.
#pragma once

#include "isa/Base/Support/Printable.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

enum class Align { left, right };

class Table {
public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns(std::move(columns)) {}

  // Adds a row; `cells` has one cell per column.
  void add(std::vector<std::string> cells);
  size_t rows() const { return cells.size(); }
  // The table as text, each line indented by two spaces. If there are more than `most` rows, only the first
  // `most` are shown, followed by a line that says how to see the other rows.
  std::string text(size_t most = SIZE_MAX, std::string_view howToSeeAll = {}) const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> cells;
};

// A list of "name    value" lines; entries with an empty value are omitted.
class Facts {
public:
  void add(std::string name, std::string value) {
    if (!value.empty())
      rows.push_back({std::move(name), std::move(value)});
  }
  std::string text() const;

private:
  struct Row {
    std::string name, value;
  };
  std::vector<Row> rows;
};

// A number with thousands separators: "1,234,567".
std::string withSeparators(uint64_t number);
// A size with a binary unit: "640 B", "12.5 KiB", "1.0 MiB".
std::string sizeText(uint64_t bytes);
// A count with its noun in the singular or plural: "3 tiles", "1 tile".
std::string countText(uint64_t count, std::string_view one, std::string_view many);

} // namespace tilerig
