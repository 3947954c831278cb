from twisted.application.service import ServiceMaker

contentsvc = ServiceMaker(
    "contentsvc",
    "contentsvc.tap",
    "The content-sharing service: REST API and notification sockets.",
    "contentsvc",
)
