// Tests of the two texts generated from the instruction tables, the reference page isa/ISA.md and the
// definitions of MLIR operations: they are complete, and every link on the page has a target.

#include "isa/Tools/IsaPage/Page.h"

#include "isa/Instructions/Instruction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace tilerig {
namespace {

// The link targets (anchors) of the page's headings, as Markdown viewers generate them.
std::multiset<std::string> anchorsOf(const std::string &page) {
  std::multiset<std::string> anchors;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#"))
      continue;
    std::string anchor;
    for (const char c : line.substr(line.find(' ') + 1))
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (c == ' ')
        anchor += '-';
    anchors.insert(anchor);
  }
  return anchors;
}

std::string sectionOf(const std::string &page, std::string_view heading) {
  const size_t begin = page.find("\n### `" + std::string(heading) + "`\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  return page.substr(begin, page.find("\n### ", begin + 1) - begin);
}

TEST(ReferencePage, LeadsEveryLinkSomewhere) {
  const std::string page = isaPage();
  const auto anchors = anchorsOf(page);
  size_t links = 0;
  for (size_t at = page.find("](#"); at != std::string::npos; at = page.find("](#", at + 1), ++links) {
    const std::string anchor = page.substr(at + 3, page.find(')', at) - at - 3);
    EXPECT_EQ(anchors.count(anchor), 1u) << anchor;
  }
  EXPECT_GT(links, 100u);
}

TEST(ReferencePage, ShowsEveryFieldAndRange) {
  const std::string page = isaPage();
  forEachInstructionType([&]<class T>() {
    const std::string section = sectionOf(page, T::mnemonic);
    const auto expectRow = [&](std::string_view field) {
      EXPECT_NE(section.find("| `" + std::string(field) + "` |"), std::string::npos)
          << T::mnemonic << " " << field;
    };
    std::apply([&](const auto &...statements) { (expectRow(statements.name), ...); }, T::fields());
    EXPECT_NE(section.find(T::meaning.substr(0, T::meaning.size() - 1)), std::string::npos) << T::mnemonic;
    EXPECT_NE(section.find("Reserved: bits "), std::string::npos) << T::mnemonic;
  });
  EXPECT_NE(sectionOf(page, "wait").find("Reserved: bits 35–47, 56–63, 96–127.\n"), std::string::npos);
  EXPECT_NE(sectionOf(page, "conv").find("| `weights` | read | ocm | 1 O KH KW C |"), std::string::npos);
}

TEST(ReferencePage, DefinesAnOperationForEachInstruction) {
  const std::string text = isaTablegen();
  forEachInstructionType([&]<class T>() {
    EXPECT_NE(text.find("Op : Isa_Op<\"" + std::string(T::mnemonic) + "\">"), std::string::npos)
        << T::mnemonic;
  });
  EXPECT_NE(text.find("ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<4294967295>]>:$value"),
            std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
}

TEST(ReferencePage, IsTheSameEveryTime) {
  EXPECT_EQ(isaPage(), isaPage());
  EXPECT_EQ(isaTablegen(), isaTablegen());
}

} // namespace
} // namespace tilerig
