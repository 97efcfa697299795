#include "isa/Base/CommandLine/TextTable.h"

#include "isa/Base/Support/Printable.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <fmt/core.h>

namespace tilerig {

// Width of a text in terminal columns, assuming that every character occupies one column.
static size_t widthOf(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

static std::string padded(const std::string &text, size_t width, Align align) {
  std::string space(width - std::min(width, widthOf(text)), ' ');
  return align == Align::left ? text + space : space + text;
}

static std::string withoutTrailingSpace(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

void Table::add(std::vector<std::string> row) {
  assert(row.size() == columns.size());
  for (std::string &cell : row)
    cell = printable(cell);
  cells.push_back(std::move(row));
}

std::string Table::text(size_t most, std::string_view howToSeeAll) const {
  size_t shown = cells.size() <= most ? cells.size() : most;
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns.size(); ++c) {
    size_t width = widthOf(columns[c].title);
    for (size_t r = 0; r < shown; ++r)
      width = std::max(width, widthOf(cells[r][c]));
    widths.push_back(width);
  }
  auto line = [&](auto &&cellOf) {
    std::string text;
    for (size_t c = 0; c < columns.size(); ++c)
      text += "  " + padded(cellOf(c), widths[c], columns[c].align);
    return withoutTrailingSpace(std::move(text));
  };
  std::string text = line([&](size_t c) { return columns[c].title; });
  for (size_t r = 0; r < shown; ++r)
    text += line([&](size_t c) { return cells[r][c]; });
  if (shown < cells.size())
    text += fmt::format("  ... and {} more{}\n", cells.size() - shown, howToSeeAll);
  return text;
}

std::string Facts::text() const {
  size_t width = 0;
  for (const Row &row : rows)
    width = std::max(width, widthOf(row.name));
  std::string text;
  for (const Row &row : rows)
    text += withoutTrailingSpace("  " + padded(row.name, width, Align::left) + "  " + printable(row.value));
  return text;
}

std::string withSeparators(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string sizeText(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  return fmt::format("{:.{}f} {}", value, value == static_cast<double>(static_cast<uint64_t>(value)) ? 0 : 1,
                     units[unit]);
}

std::string countText(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", withSeparators(count), count == 1 ? one : many);
}

} // namespace tilerig
