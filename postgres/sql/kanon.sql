-- The extension kanon: definitions of releases, and the functions that refresh and examine them.
--
-- Everything runs with the rights of the caller, or of the owner of a definition, who is the only one that can see it: row
-- security on the tables below. The one exception is the trigger that notes changes, because whoever changes a table need not
-- be the owner of its releases. All names are qualified and every function has a search_path of its own.
\echo Use "CREATE EXTENSION kanon" to load this file. \quit

GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;

-- ---- what is kept --------------------------------------------------------------------------------------------------------

-- A definition belongs to whoever owns its release, as the query of a materialized view does. Tables refer to a definition by its
-- id and not by foreign keys: a restore fills them in any order, and in parallel.
CREATE TABLE kanon.definitions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    release regclass NOT NULL UNIQUE,
    source regclass NOT NULL,
    settings jsonb NOT NULL,
    released boolean NOT NULL DEFAULT false -- a state was made, and knows what was released: without it nothing is
);

-- One row for each refresh.
CREATE TABLE kanon.refreshes (
    definition uuid NOT NULL,
    number integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    mode text NOT NULL,
    records bigint NOT NULL,
    groups bigint NOT NULL,
    suppressed bigint NOT NULL,
    withheld bigint NOT NULL,
    k bigint NOT NULL,
    loss double precision,
    drift double precision,
    report text,
    PRIMARY KEY (definition, number)
);

CREATE TABLE kanon.refresh_measures (
    definition uuid NOT NULL,
    place integer NOT NULL,
    measure text NOT NULL,
    "column" text,
    value double precision,
    formula text,
    PRIMARY KEY (definition, place)
);

-- The state of a release that is refreshed by change: the pages of the library's file, and the keys of changed rows.
CREATE TABLE kanon.state_pages (
    definition uuid NOT NULL,
    page bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (definition, page)
);
-- A page stays in its row, compressed where the server can do it fast.
ALTER TABLE kanon.state_pages ALTER COLUMN bytes SET STORAGE MAIN;
DO $$
BEGIN
    ALTER TABLE kanon.state_pages ALTER COLUMN bytes SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;

-- What the source was at the last refresh: src/source_sum.c.
CREATE TABLE kanon.source_sums (
    definition uuid PRIMARY KEY,
    rows bigint NOT NULL,
    sum bigint NOT NULL
);

CREATE TABLE kanon.changes (
    definition uuid NOT NULL,
    place bigint GENERATED ALWAYS AS IDENTITY,
    operation "char" NOT NULL,
    key text[],
    sum bigint NOT NULL, -- by how much the sum of the source is another one
    PRIMARY KEY (definition, place)
);

-- The names that columns of releases and sources had when they were last looked at, so that a new name is followed. It is made
-- anew after a restore, which may give columns other numbers.
CREATE TABLE kanon.attributes (
    definition uuid NOT NULL,
    relation oid NOT NULL,
    number smallint NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (definition, relation, number)
);

DO $$
DECLARE
    t text;
BEGIN
    ALTER TABLE kanon.definitions ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON kanon.definitions USING (EXISTS (
        SELECT FROM pg_catalog.pg_class c WHERE c.oid = release AND pg_catalog.pg_has_role(c.relowner, 'USAGE')));
    GRANT SELECT, INSERT, UPDATE, DELETE ON kanon.definitions TO PUBLIC;
    FOREACH t IN ARRAY ARRAY['refreshes', 'refresh_measures', 'state_pages', 'source_sums', 'changes'] LOOP
        EXECUTE format('ALTER TABLE kanon.%I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY own ON kanon.%I USING (EXISTS (SELECT FROM kanon.definitions d WHERE d.id = definition))', t);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON kanon.%I TO PUBLIC', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['definitions', 'refreshes', 'refresh_measures', 'state_pages', 'source_sums', 'changes'] LOOP
        PERFORM pg_extension_config_dump(format('kanon.%I', t)::regclass, '');
    END LOOP;
    PERFORM pg_extension_config_dump('kanon.changes_place_seq', '');
END
$$;

-- ---- small helpers ---------------------------------------------------------------------------------------------------

CREATE FUNCTION kanon.version() RETURNS text LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kanon_version_text';

-- A wrong argument; or, as state '22000', one that does not fit the table.
CREATE FUNCTION kanon.fail(message text, hint text DEFAULT NULL, state text DEFAULT '22023') RETURNS void LANGUAGE plpgsql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF hint IS NULL THEN
        RAISE EXCEPTION USING errcode = fail.state, message = fail.message;
    END IF;
    RAISE EXCEPTION USING errcode = fail.state, message = fail.message, hint = fail.hint;
END
$$;

-- The word that somebody may have meant; NULL where none is like it.
CREATE FUNCTION kanon.nearest_word(words text[], word text) RETURNS text LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'kanon_nearest_word_sql';

-- Raises unless the word is one of those; `nearest`: the hint is the one that is like it.
CREATE FUNCTION kanon.check_word(what text, words text[], word text, nearest boolean DEFAULT false) RETURNS void LANGUAGE plpgsql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF word IS NOT NULL AND NOT word = ANY (words) THEN
        PERFORM kanon.fail(format('%s: there is no ''%s''', what, word), coalesce(
            'did you mean ''' || CASE WHEN nearest THEN kanon.nearest_word(words, word) END || '''?',
            'choose one of: ' || array_to_string(words, ', ')));
    END IF;
END
$$;

CREATE FUNCTION kanon.base_type(type oid) RETURNS oid LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE t(oid, base, kind) AS (
        SELECT p.oid, p.typbasetype, p.typtype FROM pg_type p WHERE p.oid = type
        UNION ALL SELECT p.oid, p.typbasetype, p.typtype FROM t JOIN pg_type p ON p.oid = t.base WHERE t.kind = 'd')
    SELECT oid FROM t WHERE kind <> 'd'
$$;

-- ---- columns ---------------------------------------------------------------------------------------------------------

-- The labels of an enum in their order, as one JSON array; NULL: it is none, or it has labels that the library cannot write as
-- ends of intervals.
CREATE FUNCTION kanon.levels_of(type oid) RETURNS jsonb LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = type
    HAVING bool_and(e.enumlabel NOT IN ('', '*') AND e.enumlabel !~ '\.\.|[\n\r]|^\s|\s$')
$$;

-- The name of NAME_min or NAME_max: a name has at most 63 bytes.
CREATE FUNCTION kanon.name_with(name text, suffix text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT left(name, max(n)) || suffix FROM generate_series(0, length(name)) n
     WHERE octet_length(left(name, n)) <= 63 - octet_length(suffix)
$$;

-- A type as it is written where a column is defined.
CREATE FUNCTION kanon.type_text(type oid, typmod integer, collation_of oid) RETURNS text LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT format_type(type, typmod) || coalesce((SELECT format(' COLLATE %I.%I', n.nspname, c.collname) FROM pg_collation c
        JOIN pg_namespace n ON n.oid = c.collnamespace WHERE c.oid = collation_of AND c.collname <> 'default'), '')
$$;

-- What is read of the source and what becomes of it, in the order of its columns. name is what the definition says, read_as,
-- released_as and second_as what the source and the release call it now.
CREATE FUNCTION kanon.columns_of(source regclass, settings jsonb)
    RETURNS TABLE (name text, read_as text, role text, type oid, base oid, typmod integer, kind text, shown text, released text,
                   second text, released_as text, second_as text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a record;
    said jsonb;
    whole constant oid[] := ARRAY['int2'::regtype, 'int4'::regtype, 'int8'::regtype];
    parts constant oid[] := ARRAY['float4'::regtype, 'float8'::regtype, 'numeric'::regtype];
    times constant oid[] := ARRAY['date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype];
    numbers text := coalesce(settings->>'numbers', 'range');
    plain text;
    names jsonb := coalesce(settings->'source_names', '{}');
    shown_names jsonb := coalesce(settings->'release_names', '{}');
BEGIN
    FOR a IN SELECT r.name, t.attname, t.atttypid, t.atttypmod, t.attcollation, kanon.base_type(t.atttypid) AS base, r.value AS role
               FROM kanon.pairs(settings->'roles') r LEFT JOIN pg_attribute t ON t.attrelid = source AND t.attnum > 0
                AND NOT t.attisdropped AND t.attname = coalesce(names->>r.name, r.name) ORDER BY t.attnum LOOP
        IF a.attname IS NULL THEN
            RAISE EXCEPTION USING errcode = 'undefined_column',
                message = format('the source %s has no column %s', source, coalesce(names->>a.name, a.name)),
                hint = 'Give the column its name again, or change the release with kanon.alter.';
        END IF;
        said := coalesce(settings->'columns'->a.name, '{}');
        name := a.name;
        read_as := a.attname;
        role := a.role;
        type := a.atttypid;
        base := a.base;
        typmod := a.atttypmod;
        second := NULL;
        kind := CASE WHEN said ? 'taxonomy' OR said ? 'mask' THEN 'categorical'
                     WHEN said ? 'type' THEN said->>'type'
                     WHEN a.base = ANY (whole) THEN 'integer'
                     WHEN a.base = 'numeric'::regtype AND a.atttypmod >= 4 AND (a.atttypmod - 4) & 2047 = 0
                          AND NOT coalesce((settings->>'incremental')::boolean, false) THEN 'integer'
                     -- a state would round sensitive ones to double precision
                     WHEN a.base = ANY (parts) THEN CASE WHEN (settings->>'incremental')::boolean AND a.role = 'sensitive'
                                                          AND a.base <> 'float8'::regtype THEN 'categorical' ELSE 'decimal' END
                     WHEN a.base = ANY (times) THEN 'date'
                     WHEN said ? 'order' OR (a.role = 'quasi' AND kanon.levels_of(a.base) IS NOT NULL) THEN 'ordinal'
                     ELSE 'categorical' END;
        plain := CASE WHEN kind = 'integer' THEN CASE WHEN a.base = ANY (whole) THEN format_type(a.base, -1)
                                                      WHEN a.base = ANY (parts) THEN 'numeric' ELSE 'bigint' END
                      WHEN kind = 'decimal' THEN CASE WHEN a.base = ANY (parts) THEN format_type(a.base, -1)
                                                      WHEN a.base = ANY (whole) THEN 'bigint' ELSE 'double precision' END
                      WHEN kind = 'date' THEN CASE WHEN a.base = ANY (times) THEN format_type(a.base, -1) ELSE 'date' END END;
        IF role = 'identifying' THEN
            shown := 'not';
            released := NULL;
        ELSIF role <> 'quasi' THEN
            shown := 'kept';
            released := kanon.type_text(a.atttypid, a.atttypmod, a.attcollation);
        ELSIF kind = 'categorical' THEN
            shown := 'category';
            released := CASE WHEN said ? 'taxonomy' OR said ? 'mask' THEN 'text'
                             WHEN (SELECT typcategory FROM pg_type WHERE oid = a.base) = 'S' THEN 'text'
                             ELSE format_type(a.base, -1) END;
        ELSIF kind = 'ordinal' AND numbers <> 'interval' THEN
            shown := 'columns';
            released := format_type(a.base, -1);
            second := released;
        ELSIF numbers = 'interval' THEN
            shown := 'text';
            released := 'text';
        ELSIF numbers = 'mean' THEN
            shown := 'mean';
            released := CASE WHEN kind = 'date' THEN plain ELSE 'double precision' END;
        ELSIF numbers = 'columns' THEN
            shown := 'columns';
            released := plain;
            second := plain;
        ELSE
            shown := 'range';
            released := CASE plain WHEN 'smallint' THEN 'int4range' WHEN 'integer' THEN 'int4range' WHEN 'bigint' THEN 'int8range'
                                   WHEN 'date' THEN 'daterange' WHEN 'timestamp without time zone' THEN 'tsrange'
                                   WHEN 'timestamp with time zone' THEN 'tstzrange' ELSE 'numrange' END;
        END IF;
        released_as := CASE shown WHEN 'not' THEN NULL WHEN 'columns' THEN kanon.name_with(name, '_min') ELSE name END;
        second_as := CASE shown WHEN 'columns' THEN kanon.name_with(name, '_max') END;
        released_as := coalesce(shown_names->>released_as, released_as);
        second_as := coalesce(shown_names->>second_as, second_as);
        RETURN NEXT;
    END LOOP;
END
$$;

-- ---- taxonomies ------------------------------------------------------------------------------------------------------

-- Nodes and their parents as CSV with the header node,parent, in the order in which they first appear: the order of siblings
-- is that of the taxonomy. What is nobody's child stands below a root "*", unless it is alone.
CREATE FUNCTION kanon.taxonomy_csv(nodes text[], parents text[]) RETURNS text LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
    WITH given AS (SELECT node, nullif(parent, '') AS parent, place FROM unnest(nodes, parents) WITH ORDINALITY t(node, parent, place)
                    WHERE node IS NOT NULL),
         said AS (SELECT node, parent, min(place) AS place FROM given GROUP BY node, parent),
         tops AS (SELECT node, min(place) AS place FROM (
                      SELECT parent AS node, place FROM said WHERE parent IS NOT NULL
                         AND parent NOT IN (SELECT node FROM said WHERE parent IS NOT NULL)
                      UNION ALL SELECT node, place FROM said WHERE parent IS NULL) t GROUP BY node),
         several AS (SELECT count(*) > 1 AS yes FROM tops),
         lines AS (SELECT node, parent, 1 AS level, place FROM said WHERE parent IS NOT NULL
                   UNION ALL SELECT node, CASE WHEN yes AND node <> '*' THEN '*' ELSE '' END, 2, place FROM tops, several
                   UNION ALL SELECT '*', '', 3, 0 FROM several WHERE yes AND NOT EXISTS (SELECT FROM tops WHERE node = '*'))
    SELECT 'node,parent' || chr(10) || string_agg(format('"%s","%s"', replace(node, '"', '""'), replace(parent, '"', '""')),
                                                  chr(10) ORDER BY level DESC, place) FROM lines
$$;

-- Of a table whose first two columns are the node and its parent.
CREATE FUNCTION kanon.taxonomy_of(taxonomy regclass) RETURNS text LANGUAGE plpgsql STABLE STRICT
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text[];
    csv text;
BEGIN
    SELECT array_agg(attname::text ORDER BY attnum) INTO names FROM pg_attribute
     WHERE attrelid = taxonomy AND attnum > 0 AND NOT attisdropped;
    IF coalesce(cardinality(names), 0) < 2 THEN
        PERFORM kanon.fail(format('%s has no two columns', taxonomy), 'A taxonomy has the columns leaf and parent.');
    END IF;
    EXECUTE format('SELECT kanon.taxonomy_csv(array_agg(%I::text), array_agg(%I::text)) FROM %s', names[1], names[2], taxonomy) INTO csv;
    IF csv IS NULL THEN
        PERFORM kanon.fail(format('the taxonomy %s is empty', taxonomy));
    END IF;
    RETURN csv;
END
$$;

-- Of a tree in JSON: {"Health": ["nurse", "surgeon"], "Food": {"baker": null, "cook": null}}.
CREATE FUNCTION kanon.taxonomy_of_tree(tree json) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE nodes(node, parent, below, place) AS (
        SELECT t.key, NULL::text, t.value, ARRAY[t.place]
          FROM json_each(CASE json_typeof(tree) WHEN 'object' THEN tree ELSE '{}' END) WITH ORDINALITY t(key, value, place)
        UNION ALL
        SELECT child.node, n.node, child.below, n.place || child.place FROM nodes n CROSS JOIN LATERAL (
            SELECT t.key AS node, t.value AS below, t.place
              FROM json_each(CASE json_typeof(n.below) WHEN 'object' THEN n.below ELSE '{}' END) WITH ORDINALITY t(key, value, place)
            UNION ALL SELECT t.e #>> '{}', 'null'::json, t.place
              FROM json_array_elements(CASE json_typeof(n.below) WHEN 'array' THEN n.below ELSE '[]' END) WITH ORDINALITY t(e, place)) child)
    SELECT kanon.taxonomy_csv(array_agg(node ORDER BY place), array_agg(parent ORDER BY place)) FROM nodes
$$;

-- What a definition keeps of a taxonomy: the full name of a table, whatever the search_path is later, or a tree as CSV.
CREATE FUNCTION kanon.taxonomy_kept(taxonomy json, schema text) RETURNS jsonb LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation regclass;
BEGIN
    IF json_typeof(taxonomy) <> 'string' THEN
        RETURN jsonb_build_object('csv', coalesce(kanon.taxonomy_of_tree(taxonomy), ''));
    END IF;
    relation := (CASE cardinality(parse_ident(taxonomy #>> '{}')) WHEN 1 THEN format('%I.%s', schema, taxonomy #>> '{}')
                      ELSE taxonomy #>> '{}' END)::regclass;
    RETURN (SELECT jsonb_build_object('table', format('%I.%I', n.nspname, c.relname)) FROM pg_class c
              JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation);
END
$$;

-- ---- what the library is told ----------------------------------------------------------------------------------------

CREATE FUNCTION kanon.texts(list jsonb) RETURNS SETOF text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_array_elements_text(CASE jsonb_typeof(list) WHEN 'array' THEN list ELSE '[]' END)
$$;

CREATE FUNCTION kanon.pairs(object jsonb) RETURNS TABLE (name text, value text) LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT key, value FROM jsonb_each_text(CASE jsonb_typeof(object) WHEN 'object' THEN object ELSE '{}' END)
$$;

-- What makes the schema and the options of a definition: its keys with their values, one row each, in their order.
CREATE FUNCTION kanon.steps_of(source regclass, settings jsonb) RETURNS TABLE (what text, name text, value text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
    said jsonb;
BEGIN
    FOR c IN SELECT * FROM kanon.columns_of(source, settings) LOOP
        said := coalesce(settings->'columns'->c.name, '{}');
        RETURN QUERY SELECT 'role', c.name, c.role;
        IF c.role IN ('quasi', 'sensitive') THEN
            RETURN QUERY SELECT 'type', c.name, c.kind;
        END IF;
        RETURN QUERY SELECT v.what, c.name, v.value FROM (VALUES
            ('weight', said->>'weight'), ('mask', said->>'mask'), ('top', said->>'top'), ('bottom', said->>'bottom'),
            ('format', said->>'format'), ('permute', said->>'permute'),
            ('ends', said->>'ends'),
            ('decimal', said->>'decimal'), ('thousands', said->>'thousands'),
            ('order', CASE c.kind WHEN 'ordinal' THEN coalesce(said->'order', kanon.levels_of(c.base))::text END),
            ('bands', said->>'bands'),
            -- a table is read anew each time; a tree was made CSV when it was defined
            ('taxonomy', coalesce(said->'taxonomy'->>'csv', kanon.taxonomy_of((said->'taxonomy'->>'table')::regclass)))) v(what, value)
            WHERE v.value IS NOT NULL;
    END LOOP;
    IF settings ? 'entity' THEN
        RETURN QUERY SELECT 'entity', NULL::text, settings->>'entity';
        RETURN QUERY SELECT 'entity-together', NULL::text, settings->>'together';
    END IF;
    RETURN QUERY SELECT k.what, NULL::text, k.value FROM (VALUES ('key', settings->>'key'), ('missing', settings->>'missing')) k(what, value)
        WHERE EXISTS (SELECT FROM kanon.texts(settings->k.what));
    RETURN QUERY SELECT 'key_column', NULL::text, t FROM kanon.texts(settings->'key') t;
    RETURN QUERY SELECT 'empty', NULL::text, settings->>'empty';
    RETURN QUERY SELECT 'constraint', NULL::text, t FROM kanon.texts(settings->'constraints') t;
    RETURN QUERY SELECT 'setting', p.name, p.value FROM kanon.pairs(settings->'settings') p ORDER BY 2;
    RETURN QUERY SELECT 'refine_setting', p.name, p.value FROM kanon.pairs(settings->'refine_settings') p ORDER BY 2;
    RETURN QUERY SELECT 'option', p.name, p.value FROM kanon.pairs(settings) p
        WHERE p.name IN (
            -- generated: options
            'k', 'algorithm', 'suppressed', 'singled_out', 'refine', 'effort', 'recode', 'blocks', 'seed', 'report', 'numbers',
            'shuffle', 'shuffle_seed', 'joint_k', 'strict', 'suppress'
            -- end
        );
END
$$;

-- The settings with columns that have no role as identifying ones: one of them may say whose row each is, which the library
-- warns of. Not long texts, which memory would have to hold; not what a column of the release is called, which is checked by its
-- name; and not in a state, which would keep them.
CREATE FUNCTION kanon.with_withheld(release oid, source regclass, settings jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    short constant oid[] := ARRAY['int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype];
    texts constant oid[] := ARRAY['text'::regtype, 'varchar'::regtype, 'bpchar'::regtype];
    roles jsonb := settings->'roles';
    fits boolean;
    a record;
BEGIN
    IF (settings->>'incremental')::boolean OR settings ? 'entity' THEN
        RETURN settings;
    END IF;
    FOR a IN SELECT t.attname::text AS name, kanon.base_type(t.atttypid) AS base FROM pg_attribute t
              WHERE t.attrelid = source AND t.attnum > 0 AND NOT t.attisdropped AND NOT roles ? t.attname
                AND NOT EXISTS (SELECT FROM kanon.pairs(settings->'source_names') p WHERE p.value = t.attname)
                AND NOT EXISTS (SELECT FROM pg_attribute r WHERE r.attrelid = release AND r.attname = t.attname AND NOT r.attisdropped)
                AND NOT kanon.is_named(settings, 'release_names', t.attname)
                AND has_column_privilege(source, t.attnum, 'SELECT') LOOP
        fits := a.base = ANY (short);
        IF a.base = ANY (texts) THEN
            EXECUTE format('SELECT coalesce(max(octet_length(%1$I::text)), 0) <= 64 FROM (SELECT %1$I FROM %2$s LIMIT 1000) s', a.name, source)
               INTO fits;
        END IF;
        roles := roles || CASE WHEN fits THEN jsonb_build_object(a.name, 'identifying') ELSE '{}' END;
    END LOOP;
    RETURN settings || jsonb_build_object('roles', roles);
END
$$;

-- ---- define, alter, drop ---------------------------------------------------------------------------------------------

-- The roles of columns: those that there are, but for columns that the arguments name anew; else those of the labels.
CREATE FUNCTION kanon.roles_of(source regclass, old jsonb, given jsonb, entity text, key text[], labels boolean) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    roles jsonb;
    said jsonb := '{}';
    names text[] := ARRAY(SELECT coalesce((SELECT r.name FROM kanon.pairs(old->'source_names') r WHERE r.value = a.attname), a.attname)
                            FROM pg_attribute a WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped);
    r record;
BEGIN
    -- A list that is given replaces all columns of its role.
    SELECT coalesce(jsonb_object_agg(o.name, o.value), '{}') INTO roles FROM kanon.pairs(old->'roles') o
     WHERE jsonb_typeof(given->o.value) IS DISTINCT FROM 'array';
    FOR r IN SELECT g.key AS role, n.name FROM jsonb_each(given) g CROSS JOIN LATERAL kanon.texts(g.value) n(name)
             UNION ALL SELECT '', unnest(key || entity) LOOP
        CONTINUE WHEN r.name IS NULL;
        IF NOT r.name = ANY (names) THEN
            PERFORM kanon.fail(format('%s: the table has no such column', r.name), coalesce(
                'did you mean ''' || kanon.nearest_word(names, r.name) || '''?',
                format('names of columns of %s are given as an array: quasi => ''{age,zip}''', source)), '22000');
        END IF;
        IF r.role <> '' AND said->>r.name <> r.role THEN
            PERFORM kanon.fail(format('the column %s is named as %s and as %s', r.name, said->>r.name, r.role));
        END IF;
        said := said || CASE r.role WHEN '' THEN '{}' ELSE jsonb_build_object(r.name, r.role) END;
    END LOOP;
    roles := roles || said;
    FOR r IN SELECT a.attname::text AS name, CASE WHEN s.provider = 'kanon' THEN s.label ELSE 'quasi' END AS role
               FROM pg_seclabel s JOIN pg_attribute a ON a.attrelid = s.objoid AND a.attnum = s.objsubid
              WHERE labels AND s.classoid = 'pg_class'::regclass AND s.objoid = source AND s.objsubid > 0
                AND (s.provider = 'kanon' OR (s.provider IN ('anon', 'k_anonymity')
                     AND upper(s.label) IN ('INDIRECT IDENTIFIER', 'QUASI IDENTIFIER')))
              ORDER BY s.provider <> 'kanon', a.attnum LOOP
        IF NOT roles ? r.name THEN
            roles := roles || jsonb_build_object(r.name, r.role);
        END IF;
    END LOOP;
    RETURN (SELECT coalesce(jsonb_object_agg(n, 'identifying'), '{}') FROM unnest(key || entity) n WHERE n IS NOT NULL) || roles;
END
$$;

-- What is said of each column, with its taxonomy as it is kept.
CREATE FUNCTION kanon.details_of(columns json, taxonomies json, schema text) RETURNS jsonb LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
    word text;
BEGIN
    IF json_typeof(columns) <> 'object' OR json_typeof(taxonomies) <> 'object' THEN
        PERFORM kanon.fail('columns and taxonomies are objects', 'columns => ''{"zip": {"mask": "right"}}''');
    END IF;
    FOR one IN SELECT e.key AS name, e.value AS said FROM json_each(columns) e LOOP
        IF json_typeof(one.said) <> 'object' THEN
            PERFORM kanon.fail(format('columns: %s is no object', one.name), 'columns => ''{"zip": {"mask": "right"}}''');
        END IF;
        FOR word IN SELECT e.key FROM json_each(one.said) e WHERE json_typeof(e.value) = 'null' LOOP
            PERFORM kanon.fail(format('columns: %s: %s is null', one.name, word), 'Leave it out.');
        END LOOP;
    END LOOP;
    RETURN (SELECT coalesce(jsonb_object_agg(coalesce(c.key, t.key), coalesce(c.value::jsonb, '{}') || CASE
                   WHEN coalesce(t.value, c.value->'taxonomy') IS NULL THEN '{}'
                   ELSE jsonb_build_object('taxonomy', kanon.taxonomy_kept(coalesce(t.value, c.value->'taxonomy'), schema)) END), '{}')
              FROM json_each(columns) c FULL JOIN json_each(taxonomies) t ON t.key = c.key);
END
$$;

-- Raises what is wrong with the settings of one column: the library is told one after another, and the last would win.
CREATE FUNCTION kanon.check_column(name text, role text, kind text, said jsonb) RETURNS void LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    word text;
    makes_taxonomy boolean := said ?| '{taxonomy,mask}';
    has_bands boolean := said ?| '{bands,top,bottom}';
    about text := format('columns: %s', name);
BEGIN
    FOR word IN SELECT jsonb_object_keys(said) LOOP
        -- generated: column-keys
        PERFORM kanon.check_word(about, '{taxonomy,bands,top,bottom,mask,weight,permute,ends,type,order,format,decimal,thousands}', word, true);
        -- end
    END LOOP;
    -- generated: column-words
    PERFORM kanon.check_word(about || ': mask', '{right,left}', said->>'mask');
    PERFORM kanon.check_word(about || ': ends', '{exact,drawn}', said->>'ends');
    PERFORM kanon.check_word(about || ': type', '{integer,decimal,date,categorical,ordinal}', said->>'type');
    -- end
    IF said ? 'order' AND (jsonb_typeof(said->'order') <> 'array' OR said->'order' = '[]') THEN
        PERFORM kanon.fail(about || ': order is not an array of levels', '"order": ["low", "middle", "high"]');
    END IF;
    IF length(said->>'decimal') <> 1 OR length(said->>'thousands') <> 1 THEN
        PERFORM kanon.fail(about || ': a separator is one character, such as '','' or ''.''');
    END IF;
    IF said ? 'weight' AND NOT said->>'weight' ~ '^\d+(\.\d+)?([eE][-+]?\d+)?$' THEN
        PERFORM kanon.fail(about || ': weight is not a number', 'Give a number above 0.');
    END IF;
    word := CASE WHEN said ?& '{taxonomy,mask}' THEN 'a taxonomy and a mask'
                 WHEN makes_taxonomy AND has_bands THEN 'bands and a taxonomy or mask'
                 WHEN said ? 'order' AND makes_taxonomy THEN 'an order and a taxonomy or mask'
                 WHEN said ? 'order' AND has_bands THEN 'an order and bands' END;
    IF word IS NOT NULL THEN
        PERFORM kanon.fail(format('%s: %s cannot be combined', about, word), 'Remove one of the two.');
    END IF;
    word := CASE WHEN makes_taxonomy AND said->>'type' <> 'categorical' THEN 'a taxonomy or mask'
                 WHEN said ? 'order' AND kind <> 'ordinal' THEN 'an order'
                 WHEN has_bands AND kind IN ('categorical', 'ordinal') THEN 'bands'
                 WHEN said ? 'format' AND kind <> 'date' THEN 'a format'
                 WHEN said ?| '{decimal,thousands}' AND kind NOT IN ('integer', 'decimal') THEN 'a separator' END;
    IF word IS NOT NULL THEN
        PERFORM kanon.fail(format('%s: %s cannot be combined with the type %s', about, word, coalesce(said->>'type', kind)),
                           'Remove one of the two.');
    END IF;
    IF jsonb_typeof(said->'permute') <> 'boolean' THEN
        PERFORM kanon.fail(about || ': permute is not true or false');
    END IF;
    IF said->'permute' = 'true' AND role NOT IN ('sensitive', 'insensitive') THEN
        PERFORM kanon.fail(format('%s: a column that is %s is not permuted', about, role),
                           'Only cells that are released as they are change places.');
    END IF;
    IF said->>'ends' = 'drawn' AND has_bands THEN
        PERFORM kanon.fail(about || ': bands and drawn ends cannot be combined', 'Remove one of the two.');
    END IF;
    IF said->>'ends' = 'drawn' AND role <> 'quasi' THEN
        PERFORM kanon.fail(format('%s: a column that is %s has no ends', about, role), 'Only quasi-identifiers are generalised.');
    END IF;
    IF has_bands AND role <> 'quasi' THEN
        PERFORM kanon.fail(format('%s: a column that is %s has no bands', about, role), 'Only quasi-identifiers are generalised.');
    END IF;
END
$$;

-- Raises what is wrong with settings that the library does not see, or would see at the first refresh only.
CREATE FUNCTION kanon.check_said(source regclass, said jsonb) RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
    v jsonb;
    most constant bigint := 9007199254740991;
    list text;
BEGIN
    IF NOT said ? 'k' THEN
        PERFORM kanon.fail('k is not given', 'say how many rows at least are to be alike: k => 10');
    END IF;
    IF (said->>'k')::bigint < 2 THEN
        PERFORM kanon.fail('k must be a whole number, 2 or more');
    END IF;
    IF NOT EXISTS (SELECT FROM kanon.pairs(said->'roles') r WHERE r.value = 'quasi') THEN
        PERFORM kanon.fail('no column is a quasi-identifier',
                           'name those that could single out a person: quasi => ''{age,zip}''', '22000');
    END IF;
    FOR c IN SELECT e.key AS name FROM jsonb_each(said->'columns') e WHERE NOT said->'roles' ? e.key LOOP
        PERFORM kanon.fail(format('column %s has settings and no role', c.name), coalesce('Did you mean '
            || kanon.nearest_word(ARRAY(SELECT jsonb_object_keys(said->'roles')), c.name) || '?',
            format('Name it in a list of columns, too: quasi => ''{%s}''.', c.name)));
    END LOOP;
    PERFORM kanon.check_column(o.name, o.role, o.kind, said->'columns'->o.name) FROM kanon.columns_of(source, said) o
      WHERE said->'columns' ? o.name;
    FOREACH list IN ARRAY ARRAY['settings', 'refine_settings'] LOOP
        IF jsonb_typeof(said->list) <> 'object' THEN
            PERFORM kanon.fail(format('%s is no object', list), format('%s => ''{"name": "value"}''', list));
        END IF;
        FOR v IN SELECT e.value FROM jsonb_each(said->list) e LOOP
            IF jsonb_typeof(v) IN ('object', 'array') THEN
                PERFORM kanon.fail(format('%s: a value is a text, a number or a truth value', list));
            END IF;
        END LOOP;
    END LOOP;
    PERFORM kanon.shape_of(source, said);
    FOR c IN SELECT a.name, e.name AS other FROM kanon.columns_of(source, said) a JOIN kanon.columns_of(source, said) e
                 ON e.name IN (a.name || '_min', a.name || '_max') WHERE a.shown IN ('range', 'columns') LOOP
        PERFORM kanon.fail(format('column %s is called as an end of the ranges of %s', c.other, c.name),
                           'Rename one of them, or use numbers => ''interval''.');
    END LOOP;
    IF (said->>'together')::boolean AND NOT said ? 'entity' THEN
        PERFORM kanon.fail('entity_together needs an entity', 'Name the column that says whose row it is: entity => ''patient''.');
    END IF;
    -- generated: words
    PERFORM kanon.check_word('empty', '{missing,value}', said->>'empty');
    PERFORM kanon.check_word('suppressed', '{drop,keep}', said->>'suppressed');
    PERFORM kanon.check_word('effort', '{fast,balanced,best}', said->>'effort');
    PERFORM kanon.check_word('recode', '{record,attribute}', said->>'recode');
    PERFORM kanon.check_word('numbers', '{range,columns,interval,mean}', said->>'numbers');
    -- end
    FOREACH list IN ARRAY ARRAY['seed', 'shuffle_seed'] LOOP
        IF (said->>list)::numeric NOT BETWEEN 0 AND most THEN
            PERFORM kanon.fail(format('%s must be a whole number from 0 to %s', list, most));
        END IF;
    END LOOP;
    -- a constraint without quotes falls into parts at its commas
    IF jsonb_array_length(said->'constraints') > 1 AND EXISTS (SELECT FROM kanon.texts(said->'constraints') t WHERE t NOT LIKE '%model=%') THEN
        PERFORM kanon.fail('constraint: model: not given',
                           'put each constraint in quotes: ''{"model=distinct-l-diversity,attribute=disease,l=3"}''');
    END IF;
    list := kanon.unnamed(source, said);
    IF (said->>'strict')::boolean AND list IS NOT NULL THEN
        PERFORM kanon.fail(format('%s: the schema does not name %s', split_part(list, ', ', 1),
                                  CASE WHEN list LIKE '%, %' THEN 'these columns: ' || list ELSE 'this column' END),
                           'give each a role: identifying, quasi, sensitive or insensitive', '22000');
    END IF;
    IF (said->>'blocks')::bigint NOT IN (-1, 0) AND (said->>'blocks')::bigint < (said->>'k')::bigint THEN
        PERFORM kanon.fail(format('blocks of %s records are smaller than k', said->>'blocks'), 'Use 0 for automatic blocks, -1 for none.');
    END IF;
    IF NOT (said->>'incremental')::boolean THEN
        IF said ? 'joint_k' THEN
            PERFORM kanon.fail('joint_k looks at releases that are refreshed by change', 'Define the release with incremental => true.');
        END IF;
        RETURN;
    END IF;
    IF (said->>'joint_k')::bigint < 0 OR (said->>'joint_k')::bigint = 1 THEN
        PERFORM kanon.fail('joint_k is a number from 2 upwards, or 0', 'joint_k => 0 does not look at joint classes.');
    END IF;
    IF NOT (said->>'shuffle')::boolean AND coalesce((said->>'shuffle_seed')::bigint, 0) = 0 THEN
        PERFORM kanon.fail('a release that is refreshed by change is shuffled', 'The place of a row would tell which rows are new.');
    END IF;
    IF said->>'empty' = 'value' THEN
        PERFORM kanon.fail('a state keeps NULL as the empty text, which cannot be a value, too', 'Refresh the release in full.');
    END IF;
    IF said->>'suppressed' = 'keep' THEN
        PERFORM kanon.fail('a release that is refreshed by change leaves suppressed records out', 'Use suppressed => ''drop''.');
    END IF;
    IF said->>'recode' = 'attribute' THEN
        PERFORM kanon.fail('a release that is refreshed by change is recoded by record', 'Use recode => ''record''.');
    END IF;
END
$$;

CREATE FUNCTION kanon.check_settings(source regclass, settings jsonb) RETURNS void LANGUAGE c STRICT
    AS 'MODULE_PATHNAME', 'kanon_check_settings';

-- The columns of a release, in their order.
CREATE FUNCTION kanon.shape_of(source regclass, settings jsonb) RETURNS TABLE (name text, type text, place bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    twice text;
BEGIN
    RETURN QUERY SELECT n.name, n.type, 2 * c.place + n.part FROM kanon.columns_of(source, settings) WITH ORDINALITY
        c(name, read_as, role, type, base, typmod, kind, shown, released, second, released_as, second_as, place)
        CROSS JOIN LATERAL (VALUES (c.released_as, c.released, 0), (c.second_as, c.second, 1)) n(name, type, part)
        WHERE n.name IS NOT NULL;
    SELECT c.name INTO twice FROM (SELECT unnest(ARRAY[d.released_as, d.second_as]) AS name FROM kanon.columns_of(source, settings) d) c
     WHERE c.name IS NOT NULL GROUP BY c.name HAVING count(*) > 1 LIMIT 1;
    IF twice IS NOT NULL THEN
        PERFORM kanon.fail(format('two columns of the release would be named %s', twice), 'Use numbers => ''range'', or leave one out.');
    END IF;
END
$$;

CREATE FUNCTION kanon.describe_columns(release regclass, source regclass, settings jsonb) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
    about text;
BEGIN
    EXECUTE format('COMMENT ON TABLE %s IS %L', release,
                   format('A k-anonymous release, k = %s: every row looks like at least %s others in its quasi-identifiers.',
                          settings->>'k', (settings->>'k')::bigint - 1));
    FOR c IN SELECT * FROM kanon.columns_of(source, settings) WHERE role <> 'identifying' LOOP
        about := CASE c.shown
            WHEN 'kept' THEN CASE c.role WHEN 'sensitive' THEN 'Sensitive, released as it is.' ELSE 'Released as it is.' END
            WHEN 'category' THEN 'Quasi-identifier: a value, or a category that covers the values of the group. NULL: any value.'
            WHEN 'mean' THEN 'Quasi-identifier: the mean of the group. NULL: any value.'
            WHEN 'columns' THEN 'Quasi-identifier: the %s of the group. NULL: any value, or no end.'
            ELSE 'Quasi-identifier: the range of the values of the group. NULL: any value.' END;
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', release, c.released_as, format(about, 'least value'));
        IF c.shown = 'columns' THEN
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', release, c.second_as, format(about, 'largest value'));
        END IF;
    END LOOP;
END
$$;

-- Columns that have no role, which the release leaves out; NULL: there is none.
CREATE FUNCTION kanon.unnamed(source regclass, settings jsonb) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped
       AND NOT EXISTS (SELECT FROM kanon.columns_of(source, settings) c WHERE c.read_as = a.attname)
$$;

-- Those columns, and what is weaker than it may seem.
CREATE FUNCTION kanon.say_about(source regclass, settings jsonb) RETURNS void LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    list text;
BEGIN
    list := kanon.unnamed(source, settings);
    IF list IS NOT NULL THEN
        RAISE NOTICE USING message = format('columns without a role are not released: %s', list),
            hint = 'Name them: insensitive => ''{...}'' releases columns as they are, identifying => ''{...}'' leaves them out.';
    END IF;
    IF (settings->>'incremental')::boolean AND (settings->>'joint_k')::bigint = 0 THEN
        RAISE WARNING USING message = 'joint classes are not looked at',
            detail = 'Who has two releases of a table that changes can compare them, and may find a single person.',
            hint = 'Leave joint_k out: it is k then.';
    END IF;
    PERFORM kanon.warn_of_publications();
END
$$;

-- A publication of all tables sends the values that states keep.
CREATE FUNCTION kanon.warn_of_publications() RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    list text;
BEGIN
    SELECT string_agg(quote_ident(p.pubname), ', ' ORDER BY p.pubname) INTO list FROM pg_publication p
     WHERE p.puballtables OR EXISTS (SELECT FROM pg_publication_namespace n WHERE n.pnpubid = p.oid AND n.pnnspid = 'kanon'::regnamespace)
        OR EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = 'kanon.state_pages'::regclass);
    IF list IS NOT NULL THEN
        RAISE WARNING USING message = format('publication %s sends the tables of kanon, too', list),
            detail = 'kanon.state_pages holds the original values of tables whose releases are refreshed by change.',
            hint = 'Publish single tables, or TABLES IN SCHEMA of other schemas.';
    END IF;
END
$$;

-- The triggers that note changes of a source: of its rows whoever changes them, a replica's apply process included.
CREATE FUNCTION kanon.watch(definition uuid, source regclass, settings jsonb) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    arguments text;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = source) NOT IN ('r', 'p') THEN
        PERFORM kanon.fail(format('%s is not a table', source), 'Only the changes of tables can be noted.');
    END IF;
    IF EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent WHERE i.inhparent = source AND c.relkind = 'r') THEN
        PERFORM kanon.fail(format('other tables inherit from %s', source), 'Their changes would not be noted. Refresh in full, or use partitions.');
    END IF;
    SELECT string_agg(quote_literal(a.name), ', ' ORDER BY a.part, a.place) INTO arguments FROM (
        SELECT definition::text AS name, 0 AS part, 0::bigint AS place
        UNION ALL SELECT jsonb_array_length(settings->'key')::text, 1, 0
        UNION ALL SELECT c.read_as, 2, k.place FROM kanon.columns_of(source, settings) c
                    JOIN jsonb_array_elements_text(settings->'key') WITH ORDINALITY k(name, place) ON k.name = c.name
        UNION ALL SELECT c.read_as, 3, c.place FROM kanon.columns_of(source, settings) WITH ORDINALITY
            c(name, read_as, role, type, base, typmod, kind, shown, released, second, released_as, second_as, place)) a;
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION kanon.note_change(%s)',
                   'kanon_' || definition, source, arguments);
    EXECUTE format('CREATE TRIGGER %I AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION kanon.note_change(%L)',
                   'kanon_truncate_' || definition, source, definition);
    PERFORM kanon.watch_always(definition, source);
END
$$;

-- A full refresh begins with triggers that fire, whatever was done to them. Called by src/state.c.
CREATE FUNCTION kanon.mend(definition uuid, source regclass, settings jsonb) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    there "char"[] := ARRAY(SELECT tgenabled FROM pg_trigger WHERE tgrelid = source AND tgfoid = 'kanon.note_change'::regproc
                               AND tgname IN ('kanon_' || definition, 'kanon_truncate_' || definition));
BEGIN
    IF cardinality(there) = 2 AND 'A' = ALL (there) THEN
        RETURN;
    ELSIF cardinality(there) = 2 THEN
        PERFORM kanon.watch_always(definition, source);
    ELSE
        PERFORM kanon.watch(definition, source, settings);
    END IF;
    RAISE NOTICE USING message = format('the triggers of %s that note changes were disabled or gone, and are there again', source);
END
$$;

-- Defines a release and makes its table, which is empty until the first refresh.
CREATE FUNCTION kanon.define(
    release text, source regclass DEFAULT NULL,
    -- generated: define
    k bigint DEFAULT NULL, quasi text[] DEFAULT '{}', sensitive text[] DEFAULT '{}', identifying text[] DEFAULT '{}',
    insensitive text[] DEFAULT '{}', taxonomies json DEFAULT '{}', columns json DEFAULT '{}', missing text[] DEFAULT '{}',
    empty text DEFAULT NULL, algorithm text DEFAULT NULL, settings jsonb DEFAULT '{}', constraints text[] DEFAULT '{}',
    entity text DEFAULT NULL, entity_together boolean DEFAULT false, suppress numeric DEFAULT NULL, suppressed text DEFAULT NULL,
    singled_out numeric DEFAULT NULL, key text[] DEFAULT NULL, refine text DEFAULT NULL, effort text DEFAULT NULL,
    refine_settings jsonb DEFAULT '{}', recode text DEFAULT 'record', blocks bigint DEFAULT 0, seed bigint DEFAULT 0,
    report boolean DEFAULT NULL, schema text DEFAULT current_schema(), numbers text DEFAULT 'range', shuffle boolean DEFAULT true,
    shuffle_seed bigint DEFAULT NULL, incremental boolean DEFAULT false, joint_k bigint DEFAULT NULL, labels boolean DEFAULT true,
    strict boolean DEFAULT false
    -- end
) RETURNS regclass
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    said jsonb;
    roles jsonb;
    of_entity text := entity;
    of_key text[] := nullif(key, '{}');
    list text;
    made regclass;
    definition uuid;
    place text[];
BEGIN
    -- NULL is the default everywhere: a release is not left unshuffled by it.
    shuffle := coalesce(shuffle, true);
    incremental := coalesce(incremental, false);
    labels := coalesce(labels, true);
    columns := coalesce(columns, '{}');
    taxonomies := coalesce(taxonomies, '{}');
    settings := coalesce(settings, '{}');
    refine_settings := coalesce(refine_settings, '{}');
    IF source IS NULL THEN
        PERFORM kanon.fail('source is not given', 'kanon.define(''people_k'', ''people'', k => 10, quasi => ''{age,zip}'') makes the release '
                           'people_k of the table people.');
    END IF;
    IF NOT has_table_privilege(source, 'SELECT') AND NOT has_any_column_privilege(source, 'SELECT') THEN
        RAISE EXCEPTION USING errcode = 'insufficient_privilege', message = format('permission denied for %s', source);
    END IF;
    IF of_key IS NULL AND incremental THEN
        SELECT array_agg(a.attname::text ORDER BY u.place) INTO of_key
          FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY u(attnum, place)
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.attnum
         WHERE i.indrelid = source AND i.indisprimary;
        IF of_key IS NULL THEN
            PERFORM kanon.fail(format('%s has no primary key', source), 'Name the columns of a key: key => ''{id}''.');
        END IF;
    END IF;
    roles := kanon.roles_of(source, '{}', jsonb_build_object('quasi', quasi, 'sensitive', sensitive, 'insensitive', insensitive,
                                                             'identifying', identifying), of_entity, of_key, labels);
    SELECT coalesce(of_entity, min(r.name)) INTO of_entity FROM kanon.pairs(roles) r WHERE r.value = 'entity';
    SELECT coalesce(jsonb_object_agg(r.name, CASE r.value WHEN 'entity' THEN 'identifying' ELSE r.value END), '{}')
      INTO roles FROM kanon.pairs(roles) r;
    said := jsonb_strip_nulls(jsonb_build_object(
        -- generated: said
        'k', k, 'empty', empty, 'algorithm', algorithm, 'settings', settings, 'suppressed', suppressed,
        'singled_out', singled_out, 'refine', refine, 'effort', effort, 'refine_settings', refine_settings, 'recode', recode,
        'blocks', blocks, 'seed', seed, 'report', report, 'numbers', numbers, 'shuffle', shuffle, 'shuffle_seed', shuffle_seed,
        'joint_k', joint_k, 'strict', strict,
        -- end
        'roles', roles, 'columns', kanon.details_of(columns, taxonomies, schema), 'entity', of_entity, 'together', entity_together,
        'key', of_key, 'constraints', constraints, 'missing', nullif(missing, '{}'), 'suppress', suppress::text,
        'incremental', incremental));
    PERFORM kanon.check_said(source, said);
    PERFORM kanon.check_settings(source, said);

    -- The table, in the schema that is the caller's current one unless the name says another.
    SELECT string_agg(format('%I %s', c.name, c.type), ', ' ORDER BY c.place) INTO list FROM kanon.shape_of(source, said) c;
    place := parse_ident(release);
    release := CASE WHEN cardinality(place) = 1 THEN format('%I.%I', schema, place[1])
                    ELSE format('%I.%I', place[1], place[2]) END;
    IF to_regclass(release) IS NOT NULL THEN
        RAISE EXCEPTION USING errcode = 'duplicate_table', message = format('relation %s exists already', release),
            hint = 'kanon.alter changes a release and kanon.drop removes it; a new one has a name of its own.';
    END IF;
    EXECUTE format('CREATE TABLE %s (%s)', release, list);
    made := to_regclass(release);
    -- so that a publication of the release can send its refreshes
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', made);
    INSERT INTO kanon.definitions (release, source, settings) VALUES (made, source, said) RETURNING id INTO definition;
    EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', made);
    PERFORM kanon.describe_columns(made, source, said);
    PERFORM kanon.note_names(definition);
    IF incremental THEN
        PERFORM kanon.watch(definition, source, said);
    END IF;
    PERFORM kanon.say_about(source, said);
    RETURN made;
END
$$;

-- The definition of a release of the caller's.
CREATE FUNCTION kanon.definition_of(release regclass) RETURNS kanon.definitions LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d kanon.definitions;
BEGIN
    SELECT * INTO d FROM kanon.definitions f WHERE f.release = $1;
    IF NOT FOUND THEN
        PERFORM kanon.fail(format('%s is not a release of yours', $1));
    END IF;
    RETURN d;
END
$$;

-- What the definition calls a column that the source calls by this name now; NULL stays NULL. The name that a column had
-- before is refused: it may be that of another one by now.
CREATE FUNCTION kanon.own_name(settings jsonb, name text) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own text := (SELECT p.name FROM kanon.pairs(settings->'source_names') p WHERE p.value = $2);
BEGIN
    IF own IS NULL AND settings->'source_names' ? $2 THEN
        PERFORM kanon.fail(format('column %s of the definition is called %s now', $2, settings->'source_names'->>$2),
                           format('Use that name. Another column cannot be called %s while it gets its role.', $2));
    END IF;
    RETURN coalesce(own, $2);
END
$$;

CREATE FUNCTION kanon.own_names(settings jsonb, names text[]) RETURNS text[] LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN names IS NULL THEN NULL ELSE ARRAY(SELECT kanon.own_name(settings, n) FROM unnest(names) n) END
$$;

CREATE FUNCTION kanon.own_constraint(settings jsonb, said text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(CASE WHEN part LIKE 'attribute=%' THEN 'attribute=' || kanon.own_name(settings, substr(part, 11)) ELSE part END, ','
                      ORDER BY place) FROM string_to_table(said, ',') WITH ORDINALITY p(part, place)
$$;

-- Gives the release the columns that the new settings ask for. A column of another type keeps its place and its privileges, and
-- is NULL until the next refresh, as a new one is.
CREATE FUNCTION kanon.reshape(release regclass, source regclass, old jsonb, new jsonb) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- What the source has lost, or has with another type, is known by its comment.
    still jsonb := (SELECT coalesce(jsonb_object_agg(r.name, r.value), '{}') FROM kanon.pairs(old->'roles') r JOIN pg_attribute a
        ON a.attrelid = source AND NOT a.attisdropped AND a.attname = coalesce(old->'source_names'->>r.name, r.name));
    known text[];
    c record;
BEGIN
    SELECT array_agg(a.attname) INTO known FROM pg_attribute a WHERE a.attrelid = release AND a.attnum > 0 AND NOT a.attisdropped
       AND (col_description(a.attrelid, a.attnum) ~ '^(Quasi-identifier: |Sensitive, released as it is|Released as it is)'
            OR EXISTS (SELECT FROM kanon.columns_of(source, old || jsonb_build_object('roles', still)) o
                        WHERE a.attname IN (o.released_as, o.second_as)));
    FOR c IN SELECT n FROM unnest(known) n EXCEPT SELECT s.name FROM kanon.shape_of(source, new) s LOOP
        EXECUTE format('ALTER TABLE %s DROP COLUMN %I', release, c.n);
    END LOOP;
    FOR c IN SELECT s.name, s.type, kanon.type_text(a.atttypid, a.atttypmod, a.attcollation) AS type_there
               FROM kanon.shape_of(source, new) s LEFT JOIN pg_attribute a ON a.attrelid = release AND a.attname = s.name
                AND NOT a.attisdropped ORDER BY s.place LOOP
        IF c.type_there IS NULL THEN
            EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s', release, c.name, c.type);
        ELSIF c.name <> ALL (known) THEN
            PERFORM kanon.fail(format('%s has a column %s of its own', release, c.name), 'Rename or drop it.');
        ELSIF c.type_there <> c.type THEN
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE %s USING NULL', release, c.name, c.type);
        END IF;
    END LOOP;
END
$$;

-- Changes what is said, and leaves the rest: NULL is "as it is". The table keeps its privileges, indexes and views, and the
-- definition its refreshes. Columns that are no longer released are dropped at once; new ones are NULL until the next refresh.
CREATE FUNCTION kanon.alter(
    release regclass,
    -- generated: alter
    k bigint DEFAULT NULL, quasi text[] DEFAULT NULL, sensitive text[] DEFAULT NULL, identifying text[] DEFAULT NULL,
    insensitive text[] DEFAULT NULL, taxonomies json DEFAULT NULL, columns json DEFAULT NULL, missing text[] DEFAULT NULL,
    empty text DEFAULT NULL, algorithm text DEFAULT NULL, settings jsonb DEFAULT NULL, constraints text[] DEFAULT NULL,
    entity text DEFAULT NULL, entity_together boolean DEFAULT NULL, suppress numeric DEFAULT NULL, suppressed text DEFAULT NULL,
    singled_out numeric DEFAULT NULL, refine text DEFAULT NULL, effort text DEFAULT NULL, refine_settings jsonb DEFAULT NULL,
    recode text DEFAULT NULL, blocks bigint DEFAULT NULL, seed bigint DEFAULT NULL, report boolean DEFAULT NULL,
    schema text DEFAULT current_schema(), numbers text DEFAULT NULL, shuffle boolean DEFAULT NULL,
    shuffle_seed bigint DEFAULT NULL, joint_k bigint DEFAULT NULL, strict boolean DEFAULT NULL
    -- end
) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d kanon.definitions;
    said jsonb;
    roles jsonb;
    of_release constant text[] := '{joint_k,shuffle,shuffle_seed,numbers,report,strict,release_names,source_names}';
    c record;
BEGIN
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', release);
    d := kanon.definition_of(release);
    said := d.settings || jsonb_strip_nulls(jsonb_build_object(
        -- generated: said
        'k', k, 'empty', empty, 'algorithm', algorithm, 'settings', settings, 'suppressed', suppressed,
        'singled_out', singled_out, 'refine', refine, 'effort', effort, 'refine_settings', refine_settings, 'recode', recode,
        'blocks', blocks, 'seed', seed, 'report', report, 'numbers', numbers, 'shuffle', shuffle, 'shuffle_seed', shuffle_seed,
        'joint_k', joint_k, 'strict', strict,
        -- end
        'entity', kanon.own_name(d.settings, entity), 'together', entity_together, 'constraints', CASE
            WHEN constraints IS NOT NULL THEN ARRAY(SELECT kanon.own_constraint(d.settings, u) FROM unnest(constraints) u) END,
        'missing', missing, 'suppress', suppress::text));
    roles := kanon.roles_of(d.source, d.settings, jsonb_strip_nulls(jsonb_build_object(
        'quasi', kanon.own_names(d.settings, quasi), 'sensitive', kanon.own_names(d.settings, sensitive),
        'insensitive', kanon.own_names(d.settings, insensitive), 'identifying', kanon.own_names(d.settings, identifying))),
        said->>'entity', ARRAY(SELECT kanon.texts(said->'key')), false);
    said := said || jsonb_build_object('roles', roles, 'columns', (
        SELECT coalesce(jsonb_object_agg(o.key, o.value), '{}') FROM jsonb_each(said->'columns') o WHERE roles ? o.key)
        || (SELECT coalesce(jsonb_object_agg(kanon.own_name(d.settings, n.key), n.value), '{}')
              FROM jsonb_each(kanon.details_of(coalesce(columns, '{}'), coalesce(taxonomies, '{}'), schema)) n));
    said := said || jsonb_build_object('source_names', kanon.names_kept(said, 'source_names'),
                                       'release_names', kanon.names_kept(said, 'release_names'));
    PERFORM kanon.check_said(d.source, said);
    PERFORM kanon.check_settings(d.source, said);
    IF d.released AND said - of_release <> d.settings - of_release THEN
        IF coalesce((d.settings->>'joint_k')::bigint, 1) > 0 THEN
            RAISE EXCEPTION USING errcode = 'object_not_in_prerequisite_state',
                message = 'another definition would forget the releases that joint_k is about',
                hint = 'Forget them with kanon.restart, and change the definition then.';
        END IF;
        PERFORM kanon.restart(release);
    END IF;
    UPDATE kanon.definitions f SET settings = said WHERE f.id = d.id;
    PERFORM kanon.reshape(release, d.source, d.settings, said);
    PERFORM kanon.describe_columns(release, d.source, said);
    PERFORM kanon.note_names(d.id);
    PERFORM kanon.watch_anew(d.id);
    PERFORM kanon.say_about(d.source, said);
END
$$;

-- Forgets a definition and drops its release.
CREATE FUNCTION kanon.drop(release regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d kanon.definitions := kanon.definition_of(release);
BEGIN
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', release);
    DELETE FROM kanon.definitions WHERE id = d.id;
    EXECUTE format('DROP TABLE %s', d.release);
END
$$;

-- ---- what happens to tables ------------------------------------------------------------------------------------------

-- These run with the rights of the extension's owner, because whoever changes a table may know nothing of its releases. They
-- touch triggers of this extension alone, and names that definitions keep.

-- A trigger that does not fire for replicas would miss what they are sent.
CREATE FUNCTION kanon.watch_always(definition uuid, source regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = source AND tgfoid = 'kanon.note_change'::regproc
                AND tgname IN ('kanon_' || definition, 'kanon_truncate_' || definition) LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', source, t.tgname);
    END LOOP;
END
$$;

CREATE FUNCTION kanon.unwatch(definition uuid, source oid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = source AND tgfoid = 'kanon.note_change'::regproc
                AND tgname IN ('kanon_' || definition, 'kanon_truncate_' || definition) LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, source::regclass);
    END LOOP;
    RETURN FOUND;
END
$$;
REVOKE EXECUTE ON FUNCTION kanon.unwatch FROM PUBLIC;

-- The triggers of a definition whose columns are others now, if it has some.
CREATE FUNCTION kanon.watch_anew(definition uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d kanon.definitions;
BEGIN
    SELECT * INTO d FROM kanon.definitions f WHERE f.id = definition;
    IF kanon.unwatch(d.id, d.source) THEN
        PERFORM kanon.watch(d.id, d.source, d.settings);
    END IF;
END
$$;

CREATE FUNCTION kanon.note_names(definition uuid) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM kanon.attributes t WHERE t.definition = $1;
    INSERT INTO kanon.attributes SELECT d.id, a.attrelid, a.attnum, a.attname FROM kanon.definitions d
      JOIN pg_attribute a ON a.attrelid IN (d.release, d.source) AND a.attnum > 0 AND NOT a.attisdropped WHERE d.id = $1
$$;

-- After a restore nothing is noted. Called by src/refresh.c.
CREATE FUNCTION kanon.note_names_once(definition uuid) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT kanon.note_names($1) WHERE NOT EXISTS (SELECT FROM kanon.attributes t WHERE t.definition = $1)
$$;

-- Whether a definition speaks of a column of its source, or of its release, by this name.
CREATE FUNCTION kanon.is_named(settings jsonb, which text, name text) RETURNS boolean LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM jsonb_object_keys(settings->'roles') n WHERE $3 = n
                      OR (which = 'release_names' AND $3 IN (kanon.name_with(n, '_min'), kanon.name_with(n, '_max'))))
$$;

-- The names of columns that the definition still speaks of.
CREATE FUNCTION kanon.names_kept(settings jsonb, which text) RETURNS jsonb LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(p.name, p.value), '{}') FROM kanon.pairs(settings->which) p WHERE kanon.is_named(settings, which, p.name)
$$;

-- The columns of a table may have other names now.
CREATE FUNCTION kanon.follow_names(relation oid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d kanon.definitions;
    r record;
    which text;
    own text;
    before jsonb;
    names jsonb;
BEGIN
    FOR d IN SELECT * FROM kanon.definitions f WHERE relation IN (f.release, f.source) LOOP
        which := CASE d.source WHEN relation THEN 'source_names' ELSE 'release_names' END;
        before := coalesce(d.settings->which, '{}');
        names := before;
        FOR r IN SELECT t.name AS old, a.attname AS now FROM kanon.attributes t
                   JOIN pg_attribute a ON a.attrelid = t.relation AND a.attnum = t.number
                  WHERE t.definition = d.id AND t.relation = $1 AND NOT a.attisdropped AND a.attname <> t.name LOOP
            own := (SELECT p.name FROM kanon.pairs(before) p WHERE p.value = r.old);
            -- A column that came later may be called as one of the definition was before.
            own := CASE WHEN own IS NOT NULL THEN own WHEN NOT before ? r.old AND kanon.is_named(d.settings, which, r.old) THEN r.old END;
            names := CASE WHEN own IS NULL THEN names WHEN own = r.now THEN names - own
                          ELSE names || jsonb_build_object(own, r.now) END;
        END LOOP;
        PERFORM kanon.note_names(d.id); -- first: new triggers alter the table again
        IF names <> before THEN
            UPDATE kanon.definitions f SET settings = d.settings || jsonb_build_object(which, names) WHERE f.id = d.id;
            IF which = 'source_names' THEN
                PERFORM kanon.watch_anew(d.id);
            END IF;
        END IF;
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION kanon.follow_names FROM PUBLIC;

CREATE FUNCTION kanon.follow_alter() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM kanon.follow_names(c.objid) FROM (
        SELECT DISTINCT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass) c
     WHERE EXISTS (SELECT FROM kanon.definitions f WHERE c.objid IN (f.release, f.source));
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING USING message = 'a definition of kanon does not follow what was done to a table: ' || sqlerrm;
END
$$;
CREATE EVENT TRIGGER kanon_follow_alter ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE') EXECUTE FUNCTION kanon.follow_alter();

CREATE FUNCTION kanon.follow_publication() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM kanon.warn_of_publications();
END
$$;
CREATE EVENT TRIGGER kanon_follow_publication ON ddl_command_end
    WHEN TAG IN ('CREATE PUBLICATION', 'ALTER PUBLICATION') EXECUTE FUNCTION kanon.follow_publication();

-- Without its release a definition is nothing: nothing is noted for it.
CREATE FUNCTION kanon.follow_drop() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM kanon.definitions f USING pg_event_trigger_dropped_objects() o
     WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0 AND o.objid = f.release;
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING USING message = 'a definition of kanon outlives its release: ' || sqlerrm;
END
$$;
CREATE EVENT TRIGGER kanon_follow_drop ON sql_drop EXECUTE FUNCTION kanon.follow_drop();
-- Also where session_replication_role is replica.
ALTER EVENT TRIGGER kanon_follow_alter ENABLE ALWAYS;
ALTER EVENT TRIGGER kanon_follow_publication ENABLE ALWAYS;
ALTER EVENT TRIGGER kanon_follow_drop ENABLE ALWAYS;

CREATE FUNCTION kanon.forget() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM kanon.unwatch(OLD.id, OLD.source);
    DELETE FROM kanon.refreshes WHERE definition = OLD.id;
    DELETE FROM kanon.refresh_measures WHERE definition = OLD.id;
    DELETE FROM kanon.state_pages WHERE definition = OLD.id;
    DELETE FROM kanon.source_sums WHERE definition = OLD.id;
    DELETE FROM kanon.changes WHERE definition = OLD.id;
    DELETE FROM kanon.attributes WHERE definition = OLD.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget AFTER DELETE ON kanon.definitions FOR EACH ROW EXECUTE FUNCTION kanon.forget();
ALTER TABLE kanon.definitions ENABLE ALWAYS TRIGGER forget;

-- ---- refresh, check, measures, report --------------------------------------------------------------------------------

-- Groups the source anew, or by what has changed, and writes the release: one transaction, verified before its end.
CREATE FUNCTION kanon.refresh(release regclass, mode text DEFAULT 'full', OUT number integer, OUT kind text, OUT records bigint,
                              OUT groups bigint, OUT suppressed bigint, OUT k bigint, OUT loss double precision,
                              OUT withheld bigint, OUT drift double precision)
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'kanon_refresh';

-- What the release reaches, counted in its rows. holds: nothing that can be counted in them is violated; not_shown has the rest.
CREATE FUNCTION kanon.check(release regclass, OUT records bigint, OUT suppressed bigint, OUT classes bigint, OUT k bigint,
                            OUT highest_risk double precision, OUT average_risk double precision, OUT violated text[],
                            OUT not_shown text[], OUT warnings text[], OUT holds boolean)
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'kanon_check_release';

-- What each sensitive column and each requirement reaches.
CREATE FUNCTION kanon.check_figures(release regclass) RETURNS TABLE (model text, "column" text, figure text, value double precision)
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'kanon_check_figures';

CREATE FUNCTION kanon.measures(release regclass) RETURNS TABLE (measure text, "column" text, value double precision, formula text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.measure, m."column", m.value, m.formula FROM kanon.refresh_measures m
      JOIN kanon.definitions d ON d.id = m.definition WHERE d.release = $1 ORDER BY m.place
$$;

-- The report of the last refresh that made one, as JSON.
CREATE FUNCTION kanon.report(release regclass) RETURNS json LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.report::json FROM kanon.refreshes r JOIN kanon.definitions d ON d.id = r.definition
     WHERE d.release = $1 AND r.report IS NOT NULL ORDER BY r.number DESC LIMIT 1
$$;

-- What decides whether that release may be given away, row by row, in the words of the report.
CREATE FUNCTION kanon.verdict(release regclass) RETURNS TABLE ("row" text, heading text, mark text, sentence text, asked boolean)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT v.* FROM json_to_recordset(kanon.report(release)->'verdict') AS v("row" text, heading text, mark text, sentence text, asked boolean)
$$;

-- The groups of the source as it is now, by number of row, and the release as the program writes it; nothing is kept.
CREATE FUNCTION kanon.export(release regclass, what text DEFAULT 'release', form text DEFAULT 'interval') RETURNS text
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'kanon_export';

-- ---- progress --------------------------------------------------------------------------------------------------------

CREATE FUNCTION kanon.progress_rows(OUT pid integer, OUT datid oid, OUT release oid, OUT stage text, OUT done bigint, OUT total bigint)
    RETURNS SETOF record LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'kanon_progress_rows';

CREATE VIEW kanon.progress AS
    SELECT p.pid, d.datname, p.release::regclass AS release, p.stage, p.done, p.total
      FROM kanon.progress_rows() p JOIN pg_catalog.pg_database d ON d.oid = p.datid;
GRANT SELECT ON kanon.progress TO PUBLIC;

-- ---- changes ---------------------------------------------------------------------------------------------------------

-- Notes which rows of a source changed, by their keys. It runs with the rights of the extension's owner, because whoever
-- changes the table may know nothing of the definition; it writes only for definitions of the table that it stands on.
CREATE FUNCTION kanon.note_change() RETURNS trigger LANGUAGE c AS 'MODULE_PATHNAME', 'kanon_note_change';

-- Begins anew: forgets what was released, so that the next refresh is a full one.
CREATE FUNCTION kanon.restart(release regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d kanon.definitions := kanon.definition_of(release);
BEGIN
    DELETE FROM kanon.state_pages p WHERE p.definition = d.id;
    UPDATE kanon.definitions f SET released = false WHERE f.id = d.id;
END
$$;

-- What somebody who has all published releases can tell apart.
CREATE FUNCTION kanon.audit(release regclass, k bigint DEFAULT 0, OUT releases bigint, OUT records bigint, OUT departed bigint,
                            OUT classes bigint, OUT smallest bigint, OUT asked bigint, OUT below bigint, OUT classes_below bigint)
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'kanon_audit_release';
