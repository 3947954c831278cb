"""The errors of uploads and downloads at signed URLs (files#sending), which are no operations."""

from contentsvc.framework.http.errors import named

InvalidSignature = named(
    403,
    "invalid_signature",
    "The URL is not one that this service has signed for this path and method.",
)
UrlExpired = named(
    403, "url_expired", "The URL has expired. Call the operation again that has given it."
)
WrongLength = named(
    400, "wrong_length", "The body does not have the length that was announced.", size=int
)
WrongDigest = named(
    400, "wrong_digest", "The body does not have the digest that was announced: nothing is kept."
)
UploadReplaced = named(
    409,
    "upload_replaced",
    "Later uploads of the same file, with the same URL, have taken the place of this one.",
)
LengthRequired = named(
    411, "length_required", "An upload must have a Content-Length, and must not be chunked."
)
RangeNotSatisfiable = named(
    416, "range_not_satisfiable", "The file has no bytes in this range. Content-Range has its size."
)
InsufficientStorage = named(
    507, "insufficient_storage", "The service has no room for this file: nothing is kept."
)
