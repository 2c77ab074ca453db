//===- Lexer.cpp - Tokens of a .ein file ----------------------------------===//

#include "tapestry/Import/Ein/Lexer.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>

using namespace tapestry::ein;

llvm::StringRef tapestry::ein::describe(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "the end of the file";
  case TokenKind::Newline:
    return "the end of the line";
  case TokenKind::Error:
    return "invalid text";
  case TokenKind::Identifier:
    return "a name";
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    return "a number";
  case TokenKind::String:
    return "a path in quotes";
  case TokenKind::LParen:
    return "'('";
  case TokenKind::RParen:
    return "')'";
  case TokenKind::LSquare:
    return "'['";
  case TokenKind::RSquare:
    return "']'";
  case TokenKind::LBrace:
    return "'{'";
  case TokenKind::RBrace:
    return "'}'";
  case TokenKind::Comma:
    return "','";
  case TokenKind::Colon:
    return "':'";
  case TokenKind::Prime:
    return "\"'\"";
  case TokenKind::Ellipsis:
    return "'...'";
  case TokenKind::Arrow:
    return "'->'";
  case TokenKind::Equal:
    return "'='";
  case TokenKind::EqualEqual:
    return "'=='";
  case TokenKind::NotEqual:
    return "'!='";
  case TokenKind::Less:
    return "'<'";
  case TokenKind::LessEqual:
    return "'<='";
  case TokenKind::Greater:
    return "'>'";
  case TokenKind::GreaterEqual:
    return "'>='";
  case TokenKind::Plus:
    return "'+'";
  case TokenKind::Minus:
    return "'-'";
  case TokenKind::Star:
    return "'*'";
  case TokenKind::StarStar:
    return "'**'";
  case TokenKind::Slash:
    return "'/'";
  case TokenKind::SlashSlash:
    return "'//'";
  case TokenKind::Percent:
    return "'%'";
  case TokenKind::Amp:
    return "'&'";
  case TokenKind::Pipe:
    return "'|'";
  case TokenKind::Caret:
    return "'^'";
  case TokenKind::LessLess:
    return "'<<'";
  case TokenKind::GreaterGreater:
    return "'>>'";
  case TokenKind::AmpAmp:
    return "'&&'";
  case TokenKind::PipePipe:
    return "'||'";
  case TokenKind::Not:
    return "'!'";
  case TokenKind::At:
    return "'@'";
  case TokenKind::AtQuestion:
    return "'@?'";
  }
  llvm_unreachable("all tokens are described");
}

static bool isIdentifierStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isIdentifierPart(char c) { return llvm::isAlnum(c) || c == '_'; }

Lexer::Lexer(llvm::StringRef buffer, DiagnosticEngine &diagnostics)
    : buffer(buffer), diagnostics(diagnostics), current(buffer.begin()),
      end(buffer.end()) {
  // A byte order mark says nothing that UTF-8 needs.
  if (buffer.starts_with("\xef\xbb\xbf"))
    current += 3;
}

Token Lexer::make(TokenKind kind, const char *start) {
  return Token{kind, llvm::StringRef(start, current - start)};
}

void Lexer::skipBlanks() {
  while (current != end) {
    if (*current == '#') {
      current = std::find(current, end, '\n');
    } else if (*current == ' ' || *current == '\t' || *current == '\r' ||
               *current == '\f' || (*current == '\n' && openBrackets > 0)) {
      ++current;
    } else {
      return;
    }
  }
}

Token Lexer::lex() {
  skipBlanks();
  if (current == end)
    return make(TokenKind::EndOfFile, current);
  const char *start = current;
  if (*current == '\n') {
    ++current;
    return make(TokenKind::Newline, start);
  }
  if (isIdentifierStart(*current))
    return lexIdentifier();
  if (llvm::isDigit(*current) || (*current == '.' && llvm::isDigit(peek(1))))
    return lexNumber();
  if (*current == '"')
    return lexString();
  return lexPunctuation();
}

/// Up to the next quote in the line; nothing is escaped.
Token Lexer::lexString() {
  const char *start = current++;
  while (current != end && *current != '\n' && *current != '"')
    ++current;
  if (current != end && *current == '"') {
    ++current;
    return make(TokenKind::String, start);
  }
  Token token = make(TokenKind::Error, start);
  diagnostics.error(token.range(), "no quote ends this in its line");
  return token;
}

Token Lexer::lexIdentifier() {
  const char *start = current;
  auto skipName = [&] {
    while (current != end && isIdentifierPart(*current))
      ++current;
  };
  skipName();
  if (prefixes && peek() == '.' && isIdentifierStart(peek(1)) &&
      prefixes->contains(llvm::StringRef(start, current - start))) {
    ++current;
    skipName();
  }
  return make(TokenKind::Identifier, start);
}

Token Lexer::lexNumber() {
  const char *start = current;
  // 0xff, 0b101, 0o17.
  if (*current == '0' && llvm::is_contained({'x', 'b', 'o'}, peek(1)) &&
      llvm::isHexDigit(peek(2))) {
    current += 2;
    while (current != end && llvm::isHexDigit(*current))
      ++current;
    llvm::APInt value;
    llvm::StringRef text(start, current - start);
    if (!text.getAsInteger(0, value) &&
        (current == end || !isIdentifierPart(*current)))
      return make(TokenKind::Integer, start);
    current = start;
  }
  auto skipDigits = [&] {
    while (current != end && llvm::isDigit(*current))
      ++current;
  };
  TokenKind kind = TokenKind::Integer;
  skipDigits();
  if (peek() == '.') {
    kind = TokenKind::Float;
    ++current;
    skipDigits();
  }
  bool exponent =
      (peek() == 'e' || peek() == 'E') &&
      (llvm::isDigit(peek(1)) ||
       ((peek(1) == '+' || peek(1) == '-') && llvm::isDigit(peek(2))));
  if (exponent) {
    kind = TokenKind::Float;
    current += 2;
    skipDigits();
  }
  auto isPart = [](char c) { return isIdentifierPart(c) || c == '.'; };
  if (peek() == 'i' && !isPart(peek(1))) {
    kind = TokenKind::Imaginary;
    ++current;
  }
  if (current == end || !isPart(*current))
    return make(kind, start);
  while (current != end && (isIdentifierPart(*current) || *current == '.'))
    ++current;
  Token token = make(TokenKind::Error, start);
  diagnostics.error(token.range(), "'" + token.spelling + "' is not a number");
  return token;
}

Token Lexer::lexPunctuation() {
  struct Row {
    llvm::StringLiteral text;
    TokenKind kind;
  };
  // Longer texts stand before their prefixes.
  static constexpr Row table[] = {
      {"->", TokenKind::Arrow},      {"...", TokenKind::Ellipsis},
      {"==", TokenKind::EqualEqual}, {"!=", TokenKind::NotEqual},
      {"<=", TokenKind::LessEqual},  {">=", TokenKind::GreaterEqual},
      {"**", TokenKind::StarStar},   {"//", TokenKind::SlashSlash},
      {"<<", TokenKind::LessLess},   {">>", TokenKind::GreaterGreater},
      {"&&", TokenKind::AmpAmp},     {"||", TokenKind::PipePipe},
      {"(", TokenKind::LParen},      {")", TokenKind::RParen},
      {"[", TokenKind::LSquare},     {"]", TokenKind::RSquare},
      {"{", TokenKind::LBrace},      {"}", TokenKind::RBrace},
      {",", TokenKind::Comma},       {":", TokenKind::Colon},
      {"'", TokenKind::Prime},       {"=", TokenKind::Equal},
      {"<", TokenKind::Less},        {">", TokenKind::Greater},
      {"+", TokenKind::Plus},        {"-", TokenKind::Minus},
      {"*", TokenKind::Star},        {"/", TokenKind::Slash},
      {"%", TokenKind::Percent},     {"&", TokenKind::Amp},
      {"|", TokenKind::Pipe},        {"^", TokenKind::Caret},
      {"!", TokenKind::Not},         {"@?", TokenKind::AtQuestion},
      {"@", TokenKind::At},
  };
  llvm::StringRef rest(current, end - current);
  for (const Row &row : table) {
    if (!rest.starts_with(row.text))
      continue;
    const char *start = current;
    current += row.text.size();
    if (row.kind == TokenKind::LParen || row.kind == TokenKind::LSquare)
      ++openBrackets;
    else if ((row.kind == TokenKind::RParen ||
              row.kind == TokenKind::RSquare) &&
             openBrackets > 0)
      --openBrackets;
    return make(row.kind, start);
  }
  return lexUnknown();
}

/// The code point of a character that is there but cannot be seen.
static std::optional<unsigned> invisibleCharacter(llvm::StringRef text) {
  auto *at = reinterpret_cast<const llvm::UTF8 *>(text.bytes_begin());
  llvm::UTF32 code = 0;
  if (text.size() < 2 ||
      llvm::convertUTF8Sequence(&at, text.bytes_end(), &code,
                                llvm::strictConversion) != llvm::conversionOK)
    return std::nullopt;
  auto point = static_cast<int>(code);
  bool isSpace = code == 0xa0 || (code >= 0x2000 && code <= 0x200f) ||
                 code == 0x202f || code == 0x205f || code == 0x3000;
  if (isSpace || !llvm::sys::unicode::isPrintable(point) ||
      llvm::sys::unicode::isFormatting(point))
    return code;
  return std::nullopt;
}

Token Lexer::lexUnknown() {
  const char *start = current;
  // Take a whole character, so that the message stays valid UTF-8.
  unsigned length =
      llvm::getUTF8SequenceSize(reinterpret_cast<const llvm::UTF8 *>(current),
                                reinterpret_cast<const llvm::UTF8 *>(end));
  current += std::max(length, 1u);
  Token token = make(TokenKind::Error, start);
  std::string shown = "'" + token.spelling.str() + "'";
  if (std::optional<unsigned> code = invisibleCharacter(token.spelling))
    shown = "the invisible character U+" +
            llvm::utohexstr(*code, /*LowerCase=*/false, /*Width=*/4);
  if (length == 0 || !llvm::all_of(token.spelling, [](char c) {
        return (c & 0x80) || llvm::isPrint(c);
      }))
    shown = "byte 0x" + llvm::toHex(token.spelling.take_front(1));
  auto error = diagnostics.error(token.range(), "unexpected " + shown);
  llvm::StringRef advice = adviceFor(token.spelling);
  if (*start == '.') {
    // "x.T", "np.where": what follows says more than the dot. "nn.gelu": all.
    llvm::StringRef word =
        llvm::StringRef(current, end - current).take_while(isIdentifierPart);
    const char *prefix = start;
    while (prefix != text().begin() && isIdentifierPart(prefix[-1]))
      --prefix;
    for (llvm::StringRef meant : {word, llvm::StringRef(start, word.size() + 1),
                                  llvm::StringRef(prefix, current - prefix),
                                  llvm::StringRef(prefix, word.end() - prefix)})
      if (llvm::StringRef better = adviceFor(meant); !better.empty())
        advice = better;
  }
  if (!advice.empty())
    error.note(advice);
  return token;
}

void Lexer::restartAt(const char *position) {
  current = position;
  openBrackets = 0;
}

const char *Lexer::endOfLine(const char *position) const {
  return std::find(position, end, '\n');
}

bool Lexer::isFirstInLine(const char *position) const {
  while (position != buffer.begin()) {
    char before = *--position;
    if (before == '\n')
      return true;
    if (before != ' ' && before != '\t')
      return false;
  }
  return true;
}
