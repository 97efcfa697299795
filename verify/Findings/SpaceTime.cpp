#include "verify/Findings/SpaceTime.h"

#include "isa/Assembly/Printer.h"
#include "isa/Base/CommandLine/TextTable.h"
#include "verify/Records/Render.h"
#include "verify/Records/Xml.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

const Instruction &instructionOf(const OrderExcerpt &excerpt, const Program &program, Event event,
                                 uint32_t instruction) {
  return std::get<DeviceStage>(program.stages[excerpt.stage].work)
      .tiles[tileOfThread(event.thread)][instruction];
}

// Geometry, in pixels.
constexpr uint32_t laneWidth = 196, boxWidth = 140, boxHeight = 22, head = 52, side = 12;

constexpr std::string_view style =
    "text{font:12px system-ui,sans-serif;fill:#111}.lane{font-weight:600;text-anchor:middle}"
    ".step{text-anchor:middle}.gap{fill:#666;font-size:11px}.note{fill:#444}"
    ".line{stroke:#999}.rest{stroke:#999;stroke-dasharray:2 4}"
    ".context{fill:#fff;stroke:#666}.concerned{fill:#fdecee;stroke:#b00020;stroke-width:2}"
    ".ordered{stroke:#0072b2;stroke-width:1.5;fill:none;marker-end:url(#ordered)}"
    ".missing,.awaited{stroke:#b00020;stroke-width:1.5;stroke-dasharray:5 4;fill:none}"
    ".awaited{marker-end:url(#awaited)}.words{fill:#b00020}";

class SvgDrawing {
public:
  SvgDrawing(const OrderExcerpt &excerpt, const Program &program) : excerpt(excerpt), program(program) {
    for (const OrderMark &mark : excerpt.marks)
      rows = std::max(rows, mark.row + 1);
    // Arrows of a deadlock lie all between the same two rows.
    rowHeight = excerpt.clocks.empty() ? 90 : 52;
  }

  std::string text() {
    const bool isRace = !excerpt.clocks.empty();
    addLanes();
    for (const OrderLink &link : excerpt.links)
      addLink(link);
    for (const OrderMark &mark : excerpt.marks)
      addMark(mark);
    const uint32_t bottom = head + rows * rowHeight;
    addNote(bottom + 14,
            isRace
                ? "Time runs downwards. Blue: the step at the arrow's end begins after the other has ended."
                : "Time runs downwards.");
    addNote(bottom + 30,
            isRace ? "Red: both access the same bytes, and nothing orders them."
                   : "Red: the steps that never begin; an arrow comes from the step for which one waits.");
    const uint32_t width =
        std::max<uint32_t>(2 * side + static_cast<uint32_t>(excerpt.lanes.size()) * laneWidth, 600);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\"><style>{2}</style><defs>{3}{4}</defs>{5}</svg>\n",
        width, bottom + 40, style, arrowHead("ordered", "#0072b2"), arrowHead("awaited", "#b00020"), body);
  }

private:
  static std::string arrowHead(const char *name, const char *colour) {
    return fmt::format(
        "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{}\"/></marker>",
        name, colour);
  }

  static uint32_t xOf(uint32_t lane) { return side + lane * laneWidth + laneWidth / 2; }
  uint32_t yOf(uint32_t row) const { return head + row * rowHeight + rowHeight / 2; }

  void addLanes() {
    for (uint32_t lane = 0; lane < excerpt.lanes.size(); ++lane) {
      body += fmt::format("<text class=\"lane\" x=\"{}\" y=\"20\">{}</text>", xOf(lane),
                          describeThread(excerpt.lanes[lane]));
      addLine(lane, "rest", head - 16, head + rows * rowHeight);
    }
    for (size_t i = 1; i < excerpt.marks.size(); ++i)
      if (excerpt.marks[i].lane == excerpt.marks[i - 1].lane)
        addSteps(excerpt.marks[i - 1], excerpt.marks[i]);
  }
  void addLine(uint32_t lane, const char *kind, uint32_t top, uint32_t bottom) {
    body += fmt::format("<path class=\"{}\" d=\"M{} {}V{}\"/>", kind, xOf(lane), top, bottom);
  }
  // Between two marks of a lane: a line, or the number of steps that are not shown.
  void addSteps(const OrderMark &first, const OrderMark &second) {
    const uint32_t between = second.event.ordinal - first.event.ordinal - 1;
    if (between == 0)
      return addLine(first.lane, "line", yOf(first.row), yOf(second.row));
    body += fmt::format("<text class=\"gap\" x=\"{}\" y=\"{}\">{}</text>", xOf(first.lane) + 6,
                        (yOf(first.row) + yOf(second.row)) / 2 + 4, countText(between, "step", "steps"));
  }

  void addMark(const OrderMark &mark) {
    const Instruction &instruction = instructionOf(excerpt, program, mark.event, mark.instruction);
    const uint32_t layer = layerOf(instruction);
    const bool isNamed = layer < static_cast<uint32_t>(program.metadata.layers_size());
    const std::string name =
        isNamed ? ", layer " + program.metadata.layers(static_cast<int>(layer)).name() : "";
    body += fmt::format(
        "<g><title>{}</title><rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>"
        "<text class=\"step\" x=\"{}\" y=\"{}\">{} {}</text></g>",
        inXml(inOneLine(printInstruction(instruction)) + name),
        mark.kind == MarkKind::concerned ? "concerned" : "context", xOf(mark.lane) - boxWidth / 2,
        yOf(mark.row) - boxHeight / 2, boxWidth, boxHeight, xOf(mark.lane), yOf(mark.row) + 4,
        mark.instruction, mnemonicOf(instruction));
  }

  void addLink(const OrderLink &link) {
    const OrderMark &from = excerpt.marks[link.from], &to = excerpt.marks[link.to];
    if (link.kind == LinkKind::missing && from.lane != to.lane) {
      const auto [left, right] = std::minmax(from.lane, to.lane);
      const uint32_t y = yOf(from.row);
      body += fmt::format(
          "<path class=\"missing\" d=\"M{} {}H{}\"/><text class=\"words\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">race</text>",
          xOf(left) + boxWidth / 2, y, xOf(right) - boxWidth / 2, (xOf(left) + xOf(left + 1)) / 2, y - 5);
      return;
    }
    const char *kind = link.kind == LinkKind::ordered ? "ordered" : "awaited";
    if (from.row == to.row) { // a straight line from side to side
      const bool isRightwards = from.lane < to.lane;
      const uint32_t half = boxWidth / 2;
      body += fmt::format("<path class=\"{}\" d=\"M{} {}H{}\"/>", kind,
                          isRightwards ? xOf(from.lane) + half : xOf(from.lane) - half, yOf(from.row),
                          isRightwards ? xOf(to.lane) - half : xOf(to.lane) + half);
      return;
    }
    // A curve that leaves and arrives vertically.
    const int direction = to.row > from.row ? 1 : -1, half = static_cast<int>(boxHeight / 2);
    const int y = static_cast<int>(yOf(from.row)) + direction * half,
              end = static_cast<int>(yOf(to.row)) - direction * half;
    body += fmt::format("<path class=\"{}\" d=\"M{} {}C{} {} {} {} {} {}\"/>", kind, xOf(from.lane), y,
                        xOf(from.lane), y + 20 * direction, xOf(to.lane), end - 20 * direction, xOf(to.lane),
                        end);
    if (link.through > 0)
      body += fmt::format("<text class=\"gap\" text-anchor=\"end\" x=\"{}\" y=\"{}\">via {}</text>",
                          xOf(to.lane) - 8, end - 6, countText(link.through, "thread", "threads"));
  }

  void addNote(uint32_t y, std::string_view words) {
    body += fmt::format("<text class=\"note\" x=\"{}\" y=\"{}\">{}</text>", side, y, words);
  }

  const OrderExcerpt &excerpt;
  const Program &program;
  uint32_t rows = 0, rowHeight = 0;
  std::string body;
};

} // namespace

std::string drawSpaceTime(const OrderExcerpt &excerpt, const Program &program) {
  return SvgDrawing(excerpt, program).text();
}

Json clockRecords(const OrderExcerpt &excerpt, const Program &program) {
  Json records = Json::array();
  for (size_t i = 0; i < excerpt.clocks.size(); ++i) {
    const AccessClock &own = excerpt.clocks[i], &other = excerpt.clocks[1 - i];
    const auto nameOf = [&](Event event) {
      const auto mark = std::ranges::find(excerpt.marks, event, &OrderMark::event);
      return fmt::format("instruction {} ({})", mark->instruction,
                         mnemonicOf(instructionOf(excerpt, program, event, mark->instruction)));
    };
    const std::string thread = describeThread(own.event.thread), others = describeThread(other.event.thread);
    records.push_back(
        {{"thread", thread},
         {"step", own.event.ordinal},
         {"other", others},
         {"known", own.known},
         {"words",
          fmt::format("when {} of {} begins, {} of {} {} certainly ended; {} is its step {}",
                      nameOf(own.event), thread,
                      own.known ? countText(own.known, "step", "steps") : std::string("no step"), others,
                      own.known > 1 ? "have" : "has", nameOf(other.event), other.event.ordinal)}});
  }
  return records;
}

} // namespace tilerig::verify
