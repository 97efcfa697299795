// Plain-text tables and the few ways in which `inspect` writes numbers, so that they look alike everywhere.
//
// Columns are as wide as their widest cell and stand two spaces apart; numbers go right, words left. Text
// from a file cannot reach the terminal as a control sequence: what is not printable is shown as an escape.
#pragma once

#include "isa/Support/Printable.h"

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

  // As many cells as there are columns.
  void add(std::vector<std::string> cells);
  size_t rows() const { return cells.size(); }
  // Each line indented by two spaces; of more than `most` rows the first ones, and a line that says how to
  // see the others.
  std::string text(size_t most = SIZE_MAX, std::string_view howToSeeAll = {}) const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> cells;
};

// "name    value" lines; what is not known is left out.
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

// "1,234,567"
std::string withSeparators(uint64_t number);
// "640 B", "12.5 KiB", "1.0 MiB"
std::string sizeText(uint64_t bytes);
// "3 tiles", "1 tile"
std::string countText(uint64_t count, std::string_view one, std::string_view many);

} // namespace tilerig
