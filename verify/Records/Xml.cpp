#include "verify/Records/Xml.h"

#include "isa/Base/Support/Printable.h"

namespace tilerig::verify {

std::string inXml(const std::string &text) {
  std::string escaped;
  for (char letter : printable(text)) {
    switch (letter) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += letter;
    }
  }
  return escaped;
}

} // namespace tilerig::verify
