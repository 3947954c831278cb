-- has_attributes() has taken its place: the planner estimates an array operator even where nobody asks for attributes.

drop function if exists attribute_texts(json);
