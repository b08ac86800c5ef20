-- The extension kanon: definitions of releases, and the functions that refresh and examine them.
--
-- Everything runs with the rights of the caller, or of the owner of a definition, who is the only one that can see it: row
-- security on the tables below. The one exception is the trigger that notes changes, because whoever changes a table need not
-- be the owner of its releases. All names are qualified and every function has a search_path of its own.
\echo Use "CREATE EXTENSION kanon" to load this file. \quit

GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;

-- ---- what is kept --------------------------------------------------------------------------------------------------------

CREATE TABLE kanon.definitions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    release regclass NOT NULL UNIQUE,
    source regclass NOT NULL,
    owner regrole NOT NULL,
    settings jsonb NOT NULL
);

-- One row for each refresh.
CREATE TABLE kanon.refreshes (
    definition uuid NOT NULL REFERENCES kanon.definitions ON DELETE CASCADE,
    number integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    mode text NOT NULL,
    records bigint NOT NULL,
    groups bigint NOT NULL,
    suppressed bigint NOT NULL,
    k bigint NOT NULL,
    loss double precision,
    report text,
    PRIMARY KEY (definition, number)
);

CREATE TABLE kanon.refresh_measures (
    definition uuid NOT NULL REFERENCES kanon.definitions ON DELETE CASCADE,
    place integer NOT NULL,
    measure text NOT NULL,
    "column" text,
    value double precision,
    formula text,
    PRIMARY KEY (definition, place)
);

-- The state of a release that is refreshed by change: the pages of the library's file, and the keys of changed rows.
CREATE TABLE kanon.state_pages (
    definition uuid NOT NULL REFERENCES kanon.definitions ON DELETE CASCADE,
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

-- Where the rows of each group of a release stand, and the seal over all of them: see src/places.c. The release itself does
-- not say which rows are a group, and only the owner of the definition may read this.
CREATE TABLE kanon.release_places (
    definition uuid NOT NULL REFERENCES kanon.definitions ON DELETE CASCADE,
    part bigint NOT NULL,
    places bytea NOT NULL,
    PRIMARY KEY (definition, part)
);
CREATE TABLE kanon.release_seals (
    definition uuid PRIMARY KEY REFERENCES kanon.definitions ON DELETE CASCADE,
    file oid NOT NULL,
    key bigint[] NOT NULL,
    rows bigint NOT NULL,
    sum bigint NOT NULL
);

CREATE TABLE kanon.changes (
    definition uuid NOT NULL REFERENCES kanon.definitions ON DELETE CASCADE,
    place bigint GENERATED ALWAYS AS IDENTITY,
    operation "char" NOT NULL,
    key text[],
    PRIMARY KEY (definition, place)
);

DO $$
DECLARE
    t text;
BEGIN
    ALTER TABLE kanon.definitions ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON kanon.definitions USING (pg_has_role(owner, 'USAGE')) WITH CHECK (pg_has_role(owner, 'USAGE'));
    GRANT SELECT, INSERT, UPDATE, DELETE ON kanon.definitions TO PUBLIC;
    FOREACH t IN ARRAY ARRAY['refreshes', 'refresh_measures', 'state_pages', 'changes', 'release_places', 'release_seals'] LOOP
        EXECUTE format('ALTER TABLE kanon.%I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY own ON kanon.%I USING (EXISTS (SELECT FROM kanon.definitions d WHERE d.id = definition))', t);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON kanon.%I TO PUBLIC', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['definitions', 'refreshes', 'refresh_measures', 'state_pages', 'changes'] LOOP
        PERFORM pg_extension_config_dump(format('kanon.%I', t)::regclass, '');
    END LOOP;
    PERFORM pg_extension_config_dump('kanon.changes_place_seq', '');
END
$$;

-- ---- small helpers ---------------------------------------------------------------------------------------------------

CREATE FUNCTION kanon.version() RETURNS text LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kanon_version_text';

CREATE FUNCTION kanon.fail(message text, hint text DEFAULT NULL) RETURNS void LANGUAGE plpgsql IMMUTABLE
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING errcode = '22023', message = fail.message, hint = coalesce(fail.hint, '');
END
$$;

CREATE FUNCTION kanon.base_type(type oid) RETURNS oid LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE t(oid, base, kind) AS (
        SELECT p.oid, p.typbasetype, p.typtype FROM pg_type p WHERE p.oid = type
        UNION ALL SELECT p.oid, p.typbasetype, p.typtype FROM t JOIN pg_type p ON p.oid = t.base WHERE t.kind = 'd')
    SELECT oid FROM t WHERE kind <> 'd'
$$;

-- ---- columns ---------------------------------------------------------------------------------------------------------

-- What is read of the source and what becomes of it, in the order of its columns.
CREATE FUNCTION kanon.columns_of(source regclass, settings jsonb)
    RETURNS TABLE (name text, role text, type oid, base oid, typmod integer, kind text, shown text, released text, second text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a record;
    said jsonb;
    whole constant oid[] := ARRAY['int2'::regtype, 'int4'::regtype, 'int8'::regtype];
    parts constant oid[] := ARRAY['float4'::regtype, 'float8'::regtype, 'numeric'::regtype];
    times constant oid[] := ARRAY['date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype];
    numbers text := coalesce(settings->>'numbers', 'ranges');
    plain text;
BEGIN
    FOR a IN SELECT t.attname, t.atttypid, t.atttypmod, t.attcollation, kanon.base_type(t.atttypid) AS base,
                    settings->'roles'->>t.attname::text AS role
               FROM pg_attribute t WHERE t.attrelid = source AND t.attnum > 0 AND NOT t.attisdropped ORDER BY t.attnum LOOP
        CONTINUE WHEN a.role IS NULL;
        said := coalesce(settings->'columns'->a.attname::text, '{}');
        name := a.attname;
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
            released := format_type(a.atttypid, a.atttypmod)
                || coalesce((SELECT format(' COLLATE %I.%I', n.nspname, c.collname) FROM pg_collation c
                             JOIN pg_namespace n ON n.oid = c.collnamespace
                             WHERE c.oid = a.attcollation AND c.collname <> 'default'), '');
        ELSIF kind = 'categorical' THEN
            shown := 'category';
            released := CASE WHEN said ? 'taxonomy' OR said ? 'mask' THEN 'text'
                             WHEN (SELECT typcategory FROM pg_type WHERE oid = a.base) = 'S' THEN 'text'
                             ELSE format_type(a.base, -1) END;
        ELSIF numbers = 'text' THEN
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

-- The calls that make the schema and the options of a definition, one row each, in their order.
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
            ('format', said->>'format'),
            ('bands', CASE jsonb_typeof(said->'bands')
                      WHEN 'array' THEN (SELECT string_agg(t, ',') FROM kanon.texts(said->'bands') t)
                      ELSE said->>'bands' END),
            -- a table is read anew each time; a tree was made CSV when it was defined
            ('taxonomy', coalesce(said->'taxonomy'->>'csv', kanon.taxonomy_of((said->'taxonomy'->>'table')::regclass)))) v(what, value)
            WHERE v.value IS NOT NULL;
    END LOOP;
    IF settings ? 'entity' THEN
        RETURN QUERY SELECT 'entity', settings->>'entity', CASE WHEN (settings->>'together')::boolean THEN 'together' ELSE '' END;
    END IF;
    RETURN QUERY SELECT 'key', NULL::text, t FROM kanon.texts(settings->'key') t;
    RETURN QUERY SELECT 'missing', NULL::text, t FROM kanon.texts(settings->'missing') t;
    RETURN QUERY SELECT 'constraint', NULL::text, t FROM kanon.texts(settings->'constraints') t;
    RETURN QUERY SELECT 'setting', p.name, p.value FROM kanon.pairs(settings->'settings') p ORDER BY 2;
    RETURN QUERY SELECT 'refine_setting', p.name, p.value FROM kanon.pairs(settings->'refine_settings') p ORDER BY 2;
    RETURN QUERY SELECT 'option', p.name, p.value FROM kanon.pairs(settings) p
        WHERE p.name IN ('k', 'algorithm', 'refine', 'effort', 'seed', 'suppress', 'recode', 'blocks', 'numbers', 'shuffle',
                         'joint_k', 'report');
END
$$;

-- ---- define, drop ----------------------------------------------------------------------------------------------------

-- The roles of columns: of the arguments, else of the labels.
CREATE FUNCTION kanon.roles_of(source regclass, quasi text[], sensitive text[], insensitive text[], entity text, key text[],
                               labels boolean) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    roles jsonb := '{}';
    r record;
BEGIN
    FOR r IN SELECT * FROM (SELECT unnest(quasi) AS name, 'quasi' AS role UNION ALL SELECT unnest(sensitive), 'sensitive'
                            UNION ALL SELECT unnest(insensitive), 'insensitive') given LOOP
        IF roles ? r.name THEN
            PERFORM kanon.fail(format('column %s has two roles', r.name));
        END IF;
        IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = source AND attname = r.name AND attnum > 0 AND NOT attisdropped) THEN
            PERFORM kanon.fail(format('%s has no column %s', source, r.name));
        END IF;
        roles := roles || jsonb_build_object(r.name, r.role);
    END LOOP;
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
    FOR r IN SELECT unnest(key || entity) AS name LOOP
        CONTINUE WHEN r.name IS NULL;
        IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = source AND attname = r.name AND attnum > 0 AND NOT attisdropped) THEN
            PERFORM kanon.fail(format('%s has no column %s', source, r.name));
        END IF;
        IF NOT roles ? r.name THEN
            roles := roles || jsonb_build_object(r.name, 'identifying');
        END IF;
    END LOOP;
    RETURN roles;
END
$$;

CREATE FUNCTION kanon.check_settings(source regclass, settings jsonb) RETURNS void LANGUAGE c STRICT
    AS 'MODULE_PATHNAME', 'kanon_check_settings';

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
        IF c.shown = 'columns' THEN
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', release, c.name || '_min', format(about, 'least value'));
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', release, c.name || '_max', format(about, 'largest value'));
        ELSE
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', release, c.name, about);
        END IF;
    END LOOP;
END
$$;

CREATE FUNCTION kanon.watch(definition uuid, source regclass, key text[]) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = source) <> 'r' THEN
        PERFORM kanon.fail(format('%s is not a table', source), 'Only the changes of tables can be noted.');
    END IF;
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION kanon.note_change(%L, %s)',
                   'kanon_' || definition, source, definition, (SELECT string_agg(quote_literal(c), ', ') FROM unnest(key) c));
    EXECUTE format('CREATE TRIGGER %I AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION kanon.note_change(%L)',
                   'kanon_truncate_' || definition, source, definition);
END
$$;

-- Defines a release and makes its table, which is empty until the first refresh.
CREATE FUNCTION kanon.define(
    release text, source regclass, k bigint, quasi text[] DEFAULT '{}', sensitive text[] DEFAULT '{}',
    insensitive text[] DEFAULT '{}', entity text DEFAULT NULL, entity_together boolean DEFAULT false, key text[] DEFAULT NULL,
    columns json DEFAULT '{}', taxonomies json DEFAULT '{}', constraints text[] DEFAULT '{}', missing text[] DEFAULT '{}',
    algorithm text DEFAULT NULL, settings jsonb DEFAULT '{}', refine text DEFAULT NULL, refine_settings jsonb DEFAULT '{}',
    effort text DEFAULT NULL, seed bigint DEFAULT 0, suppress numeric DEFAULT NULL, recode text DEFAULT 'record',
    blocks bigint DEFAULT 0, numbers text DEFAULT 'ranges', shuffle boolean DEFAULT true, incremental boolean DEFAULT false,
    joint_k bigint DEFAULT NULL, labels boolean DEFAULT true, report boolean DEFAULT NULL, schema text DEFAULT current_schema()) RETURNS regclass
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    said jsonb;
    details jsonb;
    roles jsonb;
    of_entity text := entity;
    of_key text[] := key;
    list text;
    made regclass;
    definition uuid;
    place text[];
BEGIN
    IF numbers NOT IN ('ranges', 'columns', 'text', 'mean') THEN
        PERFORM kanon.fail('numbers is none of ranges, columns, text and mean');
    END IF;
    IF recode NOT IN ('record', 'attribute') THEN
        PERFORM kanon.fail('recode is neither record nor attribute');
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
    roles := kanon.roles_of(source, quasi, sensitive, insensitive, of_entity, coalesce(of_key, '{}'), labels);
    SELECT coalesce(of_entity, min(r.name)) INTO of_entity FROM kanon.pairs(roles) r WHERE r.value = 'entity';
    SELECT coalesce(jsonb_object_agg(r.name, CASE r.value WHEN 'entity' THEN 'identifying' ELSE r.value END), '{}')
      INTO roles FROM kanon.pairs(roles) r;
    SELECT coalesce(jsonb_object_agg(coalesce(c.key, t.key), coalesce(c.value::jsonb, '{}') || CASE
               WHEN coalesce(t.value, c.value->'taxonomy') IS NULL THEN '{}'
               ELSE jsonb_build_object('taxonomy', kanon.taxonomy_kept(coalesce(t.value, c.value->'taxonomy'), schema)) END), '{}')
      INTO details FROM json_each(columns) c FULL JOIN json_each(taxonomies) t ON t.key = c.key;
    FOR list IN SELECT c.key FROM jsonb_object_keys(details) c(key) WHERE NOT roles ? c.key LOOP
        PERFORM kanon.fail(format('column %s has settings and no role', list));
    END LOOP;
    said := jsonb_strip_nulls(jsonb_build_object(
        'k', k, 'roles', roles, 'columns', details, 'entity', of_entity, 'together', entity_together, 'key', of_key,
        'constraints', constraints, 'missing', nullif(missing, '{}'), 'algorithm', algorithm, 'settings', settings, 'refine', refine,
        'refine_settings', refine_settings, 'effort', effort, 'seed', seed, 'suppress', suppress::text, 'recode', recode,
        'blocks', blocks, 'numbers', numbers, 'shuffle', shuffle, 'incremental', incremental, 'joint_k', joint_k,
        'report', report));
    PERFORM kanon.check_settings(source, said);

    -- The table, in the schema that is the caller's current one unless the name says another.
    SELECT string_agg(format('%I %s', c.name || CASE c.shown WHEN 'columns' THEN '_min' ELSE '' END, c.released)
               || CASE c.shown WHEN 'columns' THEN format(', %I %s', c.name || '_max', c.second) ELSE '' END, ', ' ORDER BY c.place)
      INTO list FROM kanon.columns_of(source, said) WITH ORDINALITY
           c(name, role, type, base, typmod, kind, shown, released, second, place) WHERE c.role <> 'identifying';
    IF list IS NULL THEN
        PERFORM kanon.fail('no column has a role', 'Name the quasi-identifiers: quasi => ''{age,zip}''.');
    END IF;
    place := parse_ident(release);
    release := CASE WHEN cardinality(place) = 1 THEN format('%I.%I', schema, place[1])
                    ELSE format('%I.%I', place[1], place[2]) END;
    DELETE FROM kanon.definitions d WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = d.release);
    EXECUTE format('CREATE TABLE %s (%s)', release, list);
    made := to_regclass(release);
    INSERT INTO kanon.definitions (release, source, owner, settings)
        VALUES (made, source, current_user::regrole, said) RETURNING id INTO definition;
    EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', made);
    PERFORM kanon.describe_columns(made, source, said);
    IF incremental THEN
        PERFORM kanon.watch(definition, source, of_key);
    END IF;
    RETURN made;
END
$$;

-- Forgets a definition and drops its release.
CREATE FUNCTION kanon.drop(release regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d kanon.definitions;
BEGIN
    SELECT * INTO d FROM kanon.definitions f WHERE f.release = $1;
    IF NOT FOUND THEN
        PERFORM kanon.fail(format('%s is not a release of yours', $1));
    END IF;
    IF (d.settings->>'incremental')::boolean AND EXISTS (SELECT FROM pg_class WHERE oid = d.source) THEN
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON %s', 'kanon_' || d.id, d.source);
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON %s', 'kanon_truncate_' || d.id, d.source);
    END IF;
    DELETE FROM kanon.definitions WHERE id = d.id;
    EXECUTE format('DROP TABLE %s', d.release);
END
$$;

-- ---- refresh, check, measures, report --------------------------------------------------------------------------------

-- Groups the source anew, or by what has changed, and writes the release: one transaction, verified before its end.
CREATE FUNCTION kanon.refresh(release regclass, mode text DEFAULT 'full', OUT number integer, OUT kind text, OUT records bigint,
                              OUT groups bigint, OUT suppressed bigint, OUT k bigint, OUT loss double precision)
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
CREATE FUNCTION kanon.restart(release regclass) RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM kanon.state_pages p USING kanon.definitions d WHERE d.id = p.definition AND d.release = $1
$$;

-- What somebody who has all published releases can tell apart.
CREATE FUNCTION kanon.audit(release regclass, k bigint DEFAULT 0, OUT releases bigint, OUT records bigint, OUT departed bigint,
                            OUT classes bigint, OUT smallest bigint, OUT asked bigint, OUT below bigint, OUT classes_below bigint)
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'kanon_audit_release';
