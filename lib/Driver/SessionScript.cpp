//===- SessionScript.cpp - The commands of a session ----------------------===//

#include "tapestry/Driver/SessionScript.h"
#include "tapestry/Import/Ein/Words.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace tapestry;
using namespace tapestry::driver;
using Verb = SessionCommand::Verb;

template <typename... Parts> static llvm::Error wrong(const Parts &...parts) {
  return faultError(Fault::Program, "", parts...);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
class WordSplitter {
public:
  explicit WordSplitter(llvm::StringRef line) : line(line) {}

  llvm::Expected<std::vector<std::string>> split() {
    while (true) {
      while (at < line.size() && llvm::isSpace(line[at]))
        ++at;
      if (at == line.size() || line[at] == '#')
        return std::move(words);
      words.emplace_back();
      while (at < line.size() && !llvm::isSpace(line[at]))
        if (llvm::Error error = takePiece())
          return std::move(error);
    }
  }

private:
  /// Up to the end of a quotation, or one character.
  llvm::Error takePiece() {
    char quote = line[at++];
    if (quote == '\\') {
      if (at == line.size())
        return wrong("a backslash ends the line");
      words.back() += line[at++];
    } else if (quote != '\'' && quote != '"') {
      words.back() += quote;
    } else {
      size_t begin = at;
      for (; at < line.size() && line[at] != quote; ++at) {
        if (quote == '"' && line[at] == '\\' && at + 1 < line.size() &&
            llvm::is_contained({'"', '\\'}, line[at + 1]))
          ++at;
        words.back() += line[at];
      }
      if (at == line.size())
        return wrong("nothing ends the ", llvm::Twine(quote).str(),
                     " before column ", begin + 1);
      ++at;
    }
    return llvm::Error::success();
  }

  llvm::StringRef line;
  size_t at = 0;
  std::vector<std::string> words;
};
} // namespace

llvm::Expected<std::vector<std::string>>
tapestry::driver::splitWords(llvm::StringRef line) {
  return WordSplitter(line).split();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

namespace {
struct Form {
  llvm::StringLiteral name;
  Verb verb;
  llvm::StringLiteral usage;
  /// Words behind the command.
  size_t least, most;
};
} // namespace

static constexpr Form forms[] = {
    {"load", Verb::Load, "load NAME FILE.npy [TYPE]", 2, 3},
    {"apply", Verb::Apply,
     "apply PROG.ein [-D n=4] [INPUT=NAME] [OUTPUT=NAME] [--graph NAME] "
     "[--report r.json]",
     1, SIZE_MAX},
    {"export", Verb::Export, "export NAME FILE.npy", 2, 2},
    {"checkpoint", Verb::Checkpoint, "checkpoint FOLDER", 1, 1},
    {"restore", Verb::Restore, "restore FOLDER", 1, 1},
    {"drop", Verb::Drop, "drop NAME", 1, 1},
    {"list", Verb::List, "list", 0, 0},
};

static llvm::Error setParam(SessionCommand &command, llvm::StringRef text) {
  auto [name, value] = text.split('=');
  std::optional<ein::Number> number = ein::parseNumber(value);
  if (name.empty() || !number)
    return wrong("-D takes n=1024, not '", text, "'");
  if (!command.params.try_emplace(name, *number).second)
    return wrong("-D names '", name, "' twice");
  return llvm::Error::success();
}

/// The words behind `apply`.
static llvm::Error parseApply(llvm::ArrayRef<std::string> words,
                              SessionCommand &command) {
  while (!words.empty()) {
    llvm::StringRef word = words.front();
    words = words.drop_front();
    // Takes the word behind an option.
    auto valueOf = [&](llvm::StringRef option,
                       std::string &value) -> llvm::Error {
      if (word.consume_front((option + "=").str())) {
        value = word.str();
      } else {
        if (words.empty())
          return wrong(option, " needs a value");
        value = words.front();
        words = words.drop_front();
      }
      return value.empty() ? wrong(option, " needs a value")
                           : llvm::Error::success();
    };
    llvm::StringRef option = word.split('=').first;
    if (option == "--report" || option == "--graph") {
      bool isReport = option == "--report";
      if (llvm::Error error =
              valueOf(option, isReport ? command.reportFile : command.graph))
        return error;
    } else if (word.consume_front("-D")) {
      std::string value = word.str();
      if (value.empty())
        if (llvm::Error error = valueOf("-D", value))
          return error;
      if (llvm::Error error = setParam(command, value))
        return error;
    } else if (word.starts_with("-")) {
      return wrong("apply takes no ", word, ": ", forms[1].usage);
    } else if (word.contains('=')) {
      auto [inProgram, inSession] = word.split('=');
      if (inProgram.empty() || inSession.empty())
        return wrong("'", word,
                     "' is not of the form A=X: the program's name, the "
                     "session's");
      command.bindings.emplace_back(inProgram.str(), inSession.str());
    } else if (command.path.empty()) {
      command.path = word.str();
    } else {
      return wrong("apply takes one program, not '", command.path, "' and '",
                   word, "'");
    }
  }
  llvm::StringRef ending = llvm::sys::path::extension(command.path);
  if (ending != ".ein" && ending != ".mlir")
    return wrong("apply takes PROG.ein or PROG.mlir, not '", command.path, "'");
  return llvm::Error::success();
}

static llvm::Error unknownCommand(llvm::StringRef word) {
  std::vector<llvm::StringRef> names;
  for (const Form &form : forms)
    names.push_back(form.name);
  llvm::StringRef nearest = ein::nearestWord(word, names);
  return wrong("there is no command '", word, "'; ",
               nearest.empty() ? "there are: " + llvm::join(names, ", ")
                               : ("did you mean '" + nearest + "'?").str());
}

llvm::Expected<std::optional<SessionCommand>>
tapestry::driver::parseSessionCommand(llvm::StringRef line) {
  if (line.contains('\0'))
    return wrong("the line has a byte of value 0");
  auto words = splitWords(line);
  if (!words)
    return words.takeError();
  if (words->empty())
    return std::nullopt;
  const Form *form = llvm::find_if(
      forms, [&](const Form &known) { return known.name == words->front(); });
  if (form == std::end(forms))
    return unknownCommand(words->front());
  llvm::ArrayRef<std::string> rest = llvm::ArrayRef(*words).drop_front();
  if (rest.size() < form->least || rest.size() > form->most)
    return wrong(form->name, " takes ", form->least,
                 form->least == form->most ? ""
                 : form->most == SIZE_MAX ? " or more"
                                          : " or " + std::to_string(form->most),
                 form->least == 1 && form->most == 1 ? " word" : " words",
                 ", not ", rest.size(), ": ", form->usage);
  SessionCommand command;
  command.verb = form->verb;
  switch (form->verb) {
  case Verb::Apply:
    if (llvm::Error error = parseApply(rest, command))
      return std::move(error);
    break;
  case Verb::Load:
  case Verb::Export:
    command.name = rest[0];
    command.path = rest[1];
    if (rest.size() > 2)
      command.type = rest[2];
    break;
  case Verb::Checkpoint:
  case Verb::Restore:
    command.path = rest[0];
    break;
  case Verb::Drop:
    command.name = rest[0];
    break;
  case Verb::List:
    break;
  }
  return command;
}
